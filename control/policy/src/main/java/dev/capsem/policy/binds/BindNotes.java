package dev.capsem.policy.binds;

import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.ir.Element;

/// What is said about binds, the same in every target that binds directories.
public final class BindNotes {
    private BindNotes() {}

    public static void add(String target, BindPlan.Bind bind, Notes notes) {
        for (Element.FsRoot root : bind.roots()) {
            String path = root.path().text();
            if (root.path().isGlob()) {
                notes.add(target + " binds directories, not globs: '" + path + "' becomes '" + bind.target()
                        + "', which may hold more than the pattern names");
            }
            if (bind.target().equals("/tmp")) {
                notes.add("'/tmp' of the host is shared, so the private temporary directory is left out");
            }
            if (root.path().isFileLike()
                    && !root.path().isGlob()
                    && !bind.target().equals(path)) {
                notes.add("'" + path + "' looks like a file: its directory '" + bind.target()
                        + "' is bound; if it is a directory, write '" + path + "/' to bind it alone");
            }
        }
        if (bind.roots().size() > 1) {
            notes.add(
                    "several roots are bound as '" + bind.target() + "'; the bind carries the actions of all of them");
        }
        bind.within()
                .ifPresent(outer -> notes.add("'" + bind.target() + "' lies within '" + outer
                        + "' and is bound over it with its own actions (" + mode(bind)
                        + "); the outer bind is not widened"));
    }

    public static Coverage coverage(BindPlan.Bind bind, Element.FsRoot root) {
        boolean isExact = bind.target().equals(root.path().text()) || isWholeTree(root);
        boolean keepsMode = bind.isWritable() == root.isWritable();
        if (!isExact) {
            return Coverage.widened(root, "bound as directory " + bind.target() + ", " + mode(bind));
        }
        if (!keepsMode) {
            return Coverage.widened(root, "shares a writable bind of " + bind.target() + " with another root");
        }
        if (root.isWritable() && root.actions().size() < 4) {
            return Coverage.widened(
                    root, "a writable bind of " + bind.target() + " allows create, write and delete alike");
        }
        return Coverage.enforced(root, "bound " + mode(bind));
    }

    private static boolean isWholeTree(Element.FsRoot root) {
        return root.path().text().endsWith("/**") || root.path().text().endsWith("/");
    }

    static String mode(BindPlan.Bind bind) {
        return bind.isWritable() ? "writable" : "read-only";
    }
}
