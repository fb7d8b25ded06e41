package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Options for `new Worker(file, options)` of Node. They bound memory and nothing else: a worker shares the process.
final class WorkerTarget {
    private WorkerTarget() {}

    static Set<Kind> supported() {
        return EnumSet.of(Kind.ENV, Kind.CLOCK, Kind.ASSERT);
    }

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("worker", policy, supported(), options.strict(), notes);
        LoweringOptions.WorkerLimits limits = options.worker();
        JsonValue config = JsonValue.members()
                .put(
                        "resourceLimits",
                        JsonValue.members()
                                .put("maxOldGenerationSizeMb", limits.oldGenerationMb())
                                .put("maxYoungGenerationSizeMb", limits.youngGenerationMb())
                                .put("codeRangeSizeMb", limits.codeRangeMb())
                                .put("stackSizeMb", limits.stackMb()))
                .put(
                        "envNames",
                        policy.env().stream().map(Element.EnvRule::name).toList())
                .build();
        notes.add("a worker is not a sandbox: it can reach whatever its process can; the limits bound memory only");
        if (!policy.env().isEmpty()) {
            notes.add(
                    "pass `env` with the names of envNames and nothing else; by default a worker copies all variables");
        }
        List<Coverage> rows = Rows.of(policy, WorkerTarget::cover);
        return Artifact.DocumentArtifact.of("worker", config, "capgate-worker.json", policy, rows, notes);
    }

    private static Coverage cover(Element element) {
        return switch (element) {
            case Element.FsRoot root ->
                Coverage.unenforceable(root, "a worker opens files with the rights of its process");
            case Element.NetRule rule ->
                Coverage.unenforceable(rule, "a worker connects with the rights of its process");
            case Element.ExecRule rule ->
                Coverage.unenforceable(rule, "a worker starts programs with the rights of its process");
            case Element.IpcRule rule ->
                Coverage.unenforceable(rule, "a worker connects with the rights of its process");
            case Element.EnvRule rule -> Coverage.host(rule, "the host passes this name in the worker's env option");
            case Element.ClockRule rule -> Coverage.enforced(rule, "the clock is always readable");
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }
}
