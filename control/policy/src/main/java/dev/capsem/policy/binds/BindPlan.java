package dev.capsem.policy.binds;

import dev.capsem.policy.grammar.FsPath;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Turns roots into bind mounts: one per directory, every directory after the ones that contain it.
///
/// A later mount hides an earlier one beneath it, so the order is what keeps a writable tree inside a read-only one
/// writable, and nothing more.
public record BindPlan(List<Bind> binds) {
    /// @param target the path that is bound onto itself
    /// @param within the nearest bound directory that contains it
    public record Bind(String target, boolean isWritable, List<Element.FsRoot> roots, Optional<String> within) {
        public Bind {
            roots = List.copyOf(roots);
        }
    }

    public BindPlan {
        binds = List.copyOf(binds);
    }

    public static BindPlan of(Policy policy) {
        Set<String> directories = new HashSet<>();
        Set<String> globbed = new HashSet<>();
        for (Element.FsRoot root : policy.fs()) {
            if (!root.path().isFileLike()) {
                directories.add(root.path().bindDirectory());
            } else if (root.path().isGlob()) {
                globbed.add(root.path().bindDirectory());
            }
        }
        Map<String, List<Element.FsRoot>> byTarget = new LinkedHashMap<>();
        for (Element.FsRoot root : policy.fs()) {
            byTarget.computeIfAbsent(target(root.path(), directories, globbed), ignored -> new ArrayList<>())
                    .add(root);
        }
        return new BindPlan(outerFirst(byTarget));
    }

    /// Whether something is bound at or below `/tmp`, which then is not replaced by a private one.
    public boolean coversTmp() {
        return binds.stream()
                .anyMatch(bind -> bind.target().equals("/tmp") || bind.target().startsWith("/tmp/"));
    }

    /// A file is lowered to its directory, unless a bound directory holds it: then the file alone is bound, because
    /// widening to the directory would give its actions to everything in the outer grant.
    private static String target(FsPath path, Set<String> directories, Set<String> globbed) {
        if (!path.isFileLike() || path.isGlob()) {
            return path.bindDirectory();
        }
        // Another root may show that what looks like a file is a directory after all.
        boolean isDirectory = directories.contains(path.text()) || globbed.contains(path.text());
        boolean isHeld = isDirectory
                || directories.contains(path.bindDirectory())
                || container(path.bindDirectory(), directories).isPresent();
        return isHeld ? path.text() : path.bindDirectory();
    }

    private static List<Bind> outerFirst(Map<String, List<Element.FsRoot>> byTarget) {
        Map<String, Bind> placed = new LinkedHashMap<>();
        Map<String, Optional<String>> containers = new HashMap<>();
        byTarget.keySet().forEach(target -> containers.put(target, container(target, byTarget.keySet())));
        for (String target : byTarget.keySet()) {
            List<String> chain = new ArrayList<>();
            Optional<String> next = Optional.of(target);
            while (next.isPresent() && !placed.containsKey(next.get())) {
                chain.addFirst(next.get());
                next = containers.getOrDefault(next.get(), Optional.empty());
            }
            for (String link : chain) {
                List<Element.FsRoot> roots = byTarget.getOrDefault(link, List.of());
                boolean isWritable = roots.stream().anyMatch(Element.FsRoot::isWritable);
                placed.put(link, new Bind(link, isWritable, roots, containers.getOrDefault(link, Optional.empty())));
            }
        }
        return List.copyOf(placed.values());
    }

    /// The nearest proper ancestor of `path` in the set.
    private static Optional<String> container(String path, Set<String> directories) {
        String at = path;
        while (at.length() > 1) {
            int slash = at.lastIndexOf('/');
            at = slash <= 0 ? "/" : at.substring(0, slash);
            if (directories.contains(at)) {
                return Optional.of(at);
            }
        }
        return Optional.empty();
    }
}
