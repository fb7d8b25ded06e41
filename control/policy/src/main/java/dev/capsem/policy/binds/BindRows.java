package dev.capsem.policy.binds;

import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.HashMap;
import java.util.Map;

/// Which bind each root became and how well that keeps it, worked out once for a policy.
public record BindRows(Map<Element.FsRoot, BindPlan.Bind> binds) {
    public BindRows {
        binds = Map.copyOf(binds);
    }

    public static BindRows of(Policy policy) {
        Map<Element.FsRoot, BindPlan.Bind> binds = new HashMap<>();
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            bind.roots().forEach(root -> binds.put(root, bind));
        }
        return new BindRows(binds);
    }

    public Coverage of(Element.FsRoot root) {
        return BindNotes.coverage(bindOf(root), root);
    }

    public BindPlan.Bind bindOf(Element.FsRoot root) {
        BindPlan.Bind bind = binds.get(root);
        if (bind == null) {
            throw new IllegalStateException("a root of the policy has no bind");
        }
        return bind;
    }
}
