package dev.capsem.policy.lowering;

import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.HashMap;
import java.util.Map;

/// Which bind each root became and how well that keeps it, worked out once for a policy.
record BindRows(Map<Element.FsRoot, BindPlan.Bind> binds) {
    BindRows {
        binds = Map.copyOf(binds);
    }

    static BindRows of(Policy policy) {
        Map<Element.FsRoot, BindPlan.Bind> binds = new HashMap<>();
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            bind.roots().forEach(root -> binds.put(root, bind));
        }
        return new BindRows(binds);
    }

    Coverage of(Element.FsRoot root) {
        return BindNotes.coverage(bindOf(root), root);
    }

    BindPlan.Bind bindOf(Element.FsRoot root) {
        BindPlan.Bind bind = binds.get(root);
        if (bind == null) {
            throw new IllegalStateException("a root of the policy has no bind");
        }
        return bind;
    }
}
