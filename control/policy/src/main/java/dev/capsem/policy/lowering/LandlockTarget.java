package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.grammar.FsAction;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A rule file in the format of landlockconfig. Landlock knows the four file actions apart, and ports but no hosts.
final class LandlockTarget {
    /// The first version that can scope abstract sockets and signals; loaders fall back on older kernels.
    private static final int ABI = 6;

    private static final List<String> READ = List.of("read_file", "read_dir");
    private static final List<String> CREATE =
            List.of("make_dir", "make_reg", "make_sym", "make_fifo", "make_sock", "write_file");
    private static final List<String> WRITE = List.of("write_file", "truncate");
    private static final List<String> DELETE = List.of("remove_dir", "remove_file", "refer");

    private LandlockTarget() {}

    static Set<Kind> supported() {
        return EnumSet.of(Kind.FS, Kind.NET, Kind.CLOCK, Kind.ASSERT);
    }

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("landlock", policy, supported(), options.strict(), notes);
        boolean isAnyPort = policy.net().stream().anyMatch(rule -> rule.port().isEmpty());
        JsonValue.Builder ruleset = JsonValue.members()
                .put("handledAccessFs", List.of("abi.all"))
                .put("handledAccessNet", isAnyPort ? List.of("bind_tcp") : List.of("abi.all"))
                .put("scoped", List.of("abi.all"));
        List<JsonValue> paths = new ArrayList<>();
        paths.add(beneath(List.of("abi.read_execute"), BwrapOptions.DEFAULT.systemMounts()));
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            paths.add(beneath(rights(bind), List.of(bind.target())));
        }
        JsonValue.Builder config = JsonValue.members()
                .put("abi", ABI)
                .put("ruleset", JsonValue.items(List.of(ruleset), JsonValue.Builder::build))
                .put("pathBeneath", JsonValue.items(paths, path -> path));
        Set<Integer> ports = new TreeSet<>();
        policy.net().forEach(rule -> rule.port().ifPresent(ports::add));
        if (!ports.isEmpty() && !isAnyPort) {
            config.put(
                    "netPort",
                    JsonValue.items(
                            List.of(ports),
                            list -> JsonValue.members()
                                    .put("allowedAccess", List.of("connect_tcp"))
                                    .put("port", JsonValue.items(list, JsonValue::of))
                                    .build()));
        }
        notes.add("Landlock leaves UDP, unix sockets by path and the environment open; use it inside a sandbox");
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element, isAnyPort));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("landlock", config.build(), "landlock.json", policy, rows, notes);
    }

    private static List<String> rights(BindPlan.Bind bind) {
        EnumSet<FsAction> actions = EnumSet.noneOf(FsAction.class);
        bind.roots().forEach(root -> actions.addAll(root.actions()));
        Set<String> rights = new TreeSet<>();
        for (FsAction action : actions) {
            rights.addAll(
                    switch (action) {
                        case READ -> READ;
                        case CREATE -> CREATE;
                        case WRITE -> WRITE;
                        case DELETE -> DELETE;
                    });
        }
        return List.copyOf(rights);
    }

    private static JsonValue beneath(List<String> rights, List<String> parents) {
        return JsonValue.members()
                .put("allowedAccess", rights)
                .put("parent", parents)
                .build();
    }

    private static Coverage cover(BindRows binds, Element element, boolean isAnyPort) {
        return switch (element) {
            case Element.FsRoot root -> fs(binds, root);
            case Element.NetRule rule ->
                isAnyPort
                        ? Coverage.unenforceable(
                                rule, "a rule allows every port, so connections are not handled at all")
                        : Coverage.widened(
                                rule, "the port is enforced, the host is not: any host may be reached on it");
            case Element.ExecRule rule -> Rows.leftOut("landlock", rule);
            case Element.EnvRule rule -> Rows.leftOut("landlock", rule);
            case Element.IpcRule rule -> Rows.leftOut("landlock", rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, "zone files below /usr are readable");
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }

    /// Unlike a bind, a Landlock rule tells the four actions apart, so only a widened path remains a widening.
    private static Coverage fs(BindRows binds, Element.FsRoot root) {
        BindPlan.Bind bind = binds.bindOf(root);
        boolean isExact = bind.roots().size() == 1 && bind.target().equals(treeOf(root));
        return isExact ? Coverage.enforced(root, "its actions and no others beneath the path") : binds.of(root);
    }

    private static String treeOf(Element.FsRoot root) {
        String key = root.path().key();
        return key.length() > 1 && key.endsWith("/") ? key.substring(0, key.length() - 1) : key;
    }
}
