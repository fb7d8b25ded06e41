package dev.capsem.policy.review;

import dev.capsem.policy.grammar.Capability;
import dev.capsem.policy.grammar.EnvAction;
import dev.capsem.policy.grammar.FsAction;
import dev.capsem.policy.grammar.FsPath;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.EnumSet;

/// Whether a policy already grants all that a capability asks for. Assertions ask for nothing.
final class Containment {
    private Containment() {}

    static boolean grants(Policy policy, Capability capability) {
        return switch (capability) {
            case Capability.Fs fs ->
                FsAction.closure(EnumSet.copyOf(fs.actions())).stream()
                        .allMatch(action -> policy.fs().stream()
                                .anyMatch(root -> root.actions().contains(action) && covers(root.path(), fs.path())));
            case Capability.Net net -> policy.net().stream().anyMatch(rule -> covers(rule, net));
            case Capability.Exec exec -> policy.exec().contains(new Element.ExecRule(exec.binary()));
            case Capability.Env env ->
                env.actions().stream()
                        .allMatch(action -> policy.env().contains(new Element.EnvRule(env.name(), action))
                                || policy.env().contains(new Element.EnvRule(env.name(), EnvAction.INJECT)));
            case Capability.Ipc ipc -> policy.ipc().contains(new Element.IpcRule(ipc.endpoint()));
            case Capability.Clock clock -> policy.clock().compareTo(clock.source()) >= 0;
            case Capability.Assert ignored -> true;
        };
    }

    /// A tree also covers the directory at its top.
    private static boolean covers(FsPath outer, FsPath inner) {
        return inner.isCoveredBy(outer) || outer.key().equals(inner.text() + "/");
    }

    private static boolean covers(Element.NetRule outer, Capability.Net inner) {
        boolean opensPrivate = outer.blockPrivate() && !inner.host().blockPrivate();
        return inner.host().isCoveredBy(outer.host())
                && (outer.port().isEmpty() || outer.port().equals(inner.port()))
                && !opensPrivate;
    }
}
