package dev.capsem.policy.ir;

import dev.capsem.policy.grammar.FsAction;
import dev.capsem.policy.grammar.FsPath;
import dev.capsem.policy.grammar.TextOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Merges roots. Works through ancestors by hash lookup, so a manifest of many thousand paths stays linear.
final class FsMerge {
    private final MergeMode mode;
    private final List<Kept> kept = new ArrayList<>();
    private final Map<String, Kept> keptByKey = new HashMap<>();

    private FsMerge(MergeMode mode) {
        this.mode = mode;
    }

    private record Kept(FsPath path, EnumSet<FsAction> actions, int index) {}

    static List<Element.FsRoot> merge(Map<FsPath, EnumSet<FsAction>> declared, MergeMode mode) {
        FsMerge merge = new FsMerge(mode);
        declared.entrySet().stream()
                .sorted(Comparator.comparing(
                        (Map.Entry<FsPath, EnumSet<FsAction>> e) -> e.getKey().key(), TextOrder.INSTANCE))
                .forEach(entry -> merge.add(entry.getKey(), FsAction.closure(entry.getValue())));
        return merge.kept.stream()
                .sorted(Comparator.comparing(root -> root.path().text(), TextOrder.INSTANCE))
                .map(root -> Element.FsRoot.of(root.path(), root.actions()))
                .toList();
    }

    private void add(FsPath path, Set<FsAction> actions) {
        Kept same = keptByKey.get(path.key());
        List<Kept> outer = outerRoots(path.key());
        if (mode == MergeMode.UNION || outer.isEmpty()) {
            Kept first = Stream.concat(outer.stream(), Stream.ofNullable(same))
                    .min(Comparator.comparingInt(Kept::index))
                    .orElse(null);
            if (first == null) {
                keep(path, actions);
            } else {
                widen(first, actions);
            }
            return;
        }
        EnumSet<FsAction> granted = EnumSet.noneOf(FsAction.class);
        outer.forEach(root -> granted.addAll(root.actions()));
        EnumSet<FsAction> wanted = EnumSet.copyOf(granted);
        wanted.addAll(actions);
        if (same != null) {
            widen(same, wanted);
        } else if (!granted.containsAll(actions)) {
            keep(path, FsAction.closure(wanted));
        }
    }

    private void keep(FsPath path, Collection<FsAction> actions) {
        Kept root = new Kept(path, EnumSet.copyOf(actions), kept.size());
        kept.add(root);
        keptByKey.put(path.key(), root);
    }

    private static void widen(Kept root, Set<FsAction> actions) {
        root.actions().addAll(actions);
        root.actions().addAll(FsAction.closure(root.actions()));
    }

    /// The kept roots whose key is a proper prefix that ends in a slash, outermost first.
    private List<Kept> outerRoots(String key) {
        List<Kept> outer = new ArrayList<>();
        for (int slash = key.indexOf('/');
                slash >= 0 && slash < key.length() - 1;
                slash = key.indexOf('/', slash + 1)) {
            Kept root = keptByKey.get(key.substring(0, slash + 1));
            if (root != null) {
                outer.add(root);
            }
        }
        return outer;
    }
}
