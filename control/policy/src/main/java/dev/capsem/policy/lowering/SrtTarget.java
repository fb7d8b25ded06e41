package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Settings for sandbox-runtime (`srt --settings FILE`). It reads everything by default, so user data is denied first.
final class SrtTarget {
    /// Where data of people and services lives; denied as a whole, granted roots are allowed back.
    private static final List<String> DENY_READ = List.of("/home", "/root", "/mnt", "/media", "/srv", "/opt", "/var");

    private SrtTarget() {}

    static Set<Kind> supported() {
        return EnumSet.of(Kind.FS, Kind.NET, Kind.IPC, Kind.CLOCK, Kind.ASSERT);
    }

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("srt", policy, supported(), options.strict(), notes);
        List<String> domains = policy.net().stream()
                .filter(SrtTarget::isExpressible)
                .map(Rows::hostPort)
                .toList();
        List<String> sockets = policy.ipc().stream()
                .flatMap(rule -> rule.endpoint().socket().stream())
                .toList();
        List<String> readable = new ArrayList<>();
        List<String> writable = new ArrayList<>();
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            readable.add(bind.target());
            if (bind.isWritable()) {
                writable.add(bind.target());
            }
        }
        JsonValue.Builder config = JsonValue.members()
                .put(
                        "network",
                        JsonValue.members()
                                .put("allowedDomains", domains)
                                .put("deniedDomains", List.of())
                                .put("strictAllowlist", true)
                                .put("allowUnixSockets", sockets)
                                .put("allowLocalBinding", false))
                .put(
                        "filesystem",
                        JsonValue.members()
                                .put("denyRead", DENY_READ)
                                .put("allowRead", readable)
                                .put("allowWrite", writable)
                                .put("denyWrite", List.of()));
        if (policy.nestedSandbox()) {
            notes.add(
                    "nested sandbox: srt has a weaker mode for it, which is not switched on here; decide on the host");
        }
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("srt", config.build(), "srt-settings.json", policy, rows, notes);
    }

    /// srt takes names with a dot, wildcards below two labels, addresses and localhost.
    private static boolean isExpressible(Element.NetRule rule) {
        String host = rule.host().text();
        return switch (rule.host().form()) {
            case ANY -> false;
            case SUBDOMAINS -> host.indexOf('.', 2) > 0;
            case NAME -> host.indexOf('.') > 0 || host.equals("localhost");
            case IPV4, IPV6 -> true;
        };
    }

    private static Coverage cover(BindRows binds, Element element) {
        return switch (element) {
            case Element.FsRoot root ->
                root.isWritable()
                        ? binds.of(root)
                        : Coverage.widened(
                                root, "readable, but so is everything outside " + String.join(" ", DENY_READ));
            case Element.NetRule rule ->
                !isExpressible(rule)
                        ? Coverage.unenforceable(rule, unexpressible(rule))
                        : Coverage.enforced(
                                rule, "allowed by srt's proxy; private results of a name are refused there");
            case Element.IpcRule rule ->
                rule.endpoint().socket().isPresent()
                        ? Coverage.unenforceable(
                                rule, "srt filters sockets by path on macOS only; on Linux all are closed")
                        : Coverage.unenforceable(rule, "srt has no setting for this endpoint");
            case Element.ExecRule rule -> Rows.leftOut("srt", rule);
            case Element.EnvRule rule -> Rows.leftOut("srt", rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, "zone files and the clock are always readable");
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }

    private static String unexpressible(Element.NetRule rule) {
        return rule.host().form() == Host.Form.ANY
                ? "srt refuses '*' in its allow list; it stays closed"
                : "srt refuses '" + rule.host() + "' as too broad or without a dot; it stays closed";
    }
}
