package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Permission flags for `deno run`, for servers in JavaScript or TypeScript. A program that Deno starts escapes them.
final class DenoTarget {
    private DenoTarget() {}

    static Set<Kind> supported() {
        return EnumSet.of(Kind.FS, Kind.NET, Kind.EXEC, Kind.ENV, Kind.CLOCK, Kind.ASSERT);
    }

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("deno", policy, supported(), options.strict(), notes);
        List<String> readable = new ArrayList<>();
        List<String> writable = new ArrayList<>();
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            readable.add(spell(bind.target()));
            if (bind.isWritable()) {
                writable.add(spell(bind.target()));
            }
        }
        boolean isAnyHost = policy.net().stream().anyMatch(rule -> rule.host().form() == Host.Form.ANY);
        List<String> hosts = policy.net().stream()
                .filter(DenoTarget::isExpressible)
                .map(Rows::hostPort)
                .toList();
        List<String> flags = new ArrayList<>();
        flags.add("--no-prompt");
        flag(flags, "--allow-read", readable);
        flag(flags, "--allow-write", writable);
        if (isAnyHost) {
            flags.add("--allow-net");
        } else {
            flag(flags, "--allow-net", hosts);
        }
        flag(
                flags,
                "--allow-env",
                policy.env().stream().map(Element.EnvRule::name).toList());
        flag(
                flags,
                "--allow-run",
                policy.exec().stream().map(Element.ExecRule::binary).toList());
        if (!policy.exec().isEmpty()) {
            notes.add("programs started with --allow-run are not bound by Deno's permissions");
        }
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("deno", JsonValue.texts(flags), "deno-flags.json", policy, rows, notes);
    }

    private static void flag(List<String> flags, String name, List<String> values) {
        if (!values.isEmpty()) {
            flags.add(name + "=" + String.join(",", values));
        }
    }

    private static boolean isExpressible(Element.NetRule rule) {
        return rule.host().form() != Host.Form.ANY && rule.host().form() != Host.Form.SUBDOMAINS;
    }

    private static String spell(String path) {
        if (path.indexOf(',') >= 0) {
            throw new CompilationError(
                    Code.ADAPTER_PATH, "deno cannot name '" + path + "': a comma separates paths in its flags");
        }
        return path;
    }

    private static Coverage cover(BindRows binds, Element element) {
        return switch (element) {
            case Element.FsRoot root -> binds.of(root);
            case Element.NetRule rule -> net(rule);
            case Element.ExecRule rule ->
                Coverage.widened(rule, "only this program may be started, but it is not confined");
            case Element.EnvRule rule -> Coverage.enforced(rule, "only named variables are readable");
            case Element.IpcRule rule -> Rows.leftOut("deno", rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, "the clock and zones are built in");
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }

    private static Coverage net(Element.NetRule rule) {
        return switch (rule.host().form()) {
            case ANY -> Coverage.widened(rule, "every host is open, private ranges included");
            case SUBDOMAINS -> Coverage.unenforceable(rule, "Deno takes exact hosts; it stays closed");
            case NAME -> Coverage.widened(rule, "the name is enforced, but it may resolve to a private address");
            case IPV4, IPV6 -> Coverage.enforced(rule, "exactly this address");
        };
    }
}
