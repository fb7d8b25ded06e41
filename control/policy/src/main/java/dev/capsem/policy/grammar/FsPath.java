package dev.capsem.policy.grammar;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;

/// An absolute path, plain or with a glob in its last segment.
///
/// Sandboxes bind directories, not globs, so a glob is only accepted where its directory is certain: a last segment
/// `*` or `**`, or a file pattern such as `*.txt`. Anything else would reach the bind as a literal `*`.
public record FsPath(String text) {
    /// PATH_MAX of Linux, and a depth no real tree has; ancestors are walked one by one.
    private static final int LENGTH_MAX = 4096;

    private static final int SEGMENTS_MAX = 128;

    public FsPath {
        check(text);
    }

    public boolean isGlob() {
        return hasGlob(text);
    }

    /// Normal form for containment: a trailing `/**` or `/*` becomes `/`.
    public String key() {
        if (text.endsWith("/**")) {
            return text.substring(0, text.length() - 2);
        }
        if (text.endsWith("/*")) {
            return text.substring(0, text.length() - 1);
        }
        return text;
    }

    /// Whether everything this path names is also named by `outer`.
    public boolean isCoveredBy(FsPath outer) {
        String outerKey = outer.key();
        return text.equals(outer.text)
                || key().equals(outerKey)
                || (outerKey.endsWith("/") && key().startsWith(outerKey));
    }

    /// Whether the last segment looks like a file name, so that the grant is lowered to the directory that holds it.
    ///
    /// The seed's rule: it has a dot that is not its first character. `/opt/py3.11` is caught by it too; writing
    /// `/opt/py3.11/` or `/opt/py3.11/**` says that a directory is meant.
    public boolean isFileLike() {
        if (!key().equals(text) || text.endsWith("/")) {
            return false;
        }
        String last = text.substring(text.lastIndexOf('/') + 1);
        return last.indexOf('.') > 0;
    }

    /// The directory (or exact path) that a bind mount of this grant names.
    public String bindDirectory() {
        String key = key();
        if (isFileLike()) {
            return orRoot(key.substring(0, key.lastIndexOf('/')));
        }
        return orRoot(key.endsWith("/") ? key.substring(0, key.length() - 1) : key);
    }

    private static String orRoot(String path) {
        return path.isEmpty() ? "/" : path;
    }

    private static boolean hasGlob(String text) {
        return text.chars().anyMatch(c -> "*?[]".indexOf(c) >= 0);
    }

    private static void check(String text) {
        if (text.isEmpty()) {
            throw new CompilationError(Code.CAP_SCOPE_EMPTY, "the path is empty; name an absolute path");
        }
        if (!text.startsWith("/")) {
            throw new CompilationError(Code.CAP_FS_RELATIVE, "'" + text + "' is relative; begin the path with '/'");
        }
        String[] segments = text.substring(1).split("/", -1);
        if (text.length() > LENGTH_MAX || segments.length > SEGMENTS_MAX) {
            throw new CompilationError(
                    Code.MANIFEST_TOO_LARGE,
                    "a path is longer than " + LENGTH_MAX + " characters or deeper than " + SEGMENTS_MAX + " segments");
        }
        for (int i = 0; i < segments.length; i++) {
            boolean isLast = i == segments.length - 1;
            checkSegment(text, segments[i], isLast);
        }
    }

    private static void checkSegment(String text, String segment, boolean isLast) {
        if (segment.equals("..") || segment.equals(".") || (segment.isEmpty() && !isLast)) {
            throw new CompilationError(
                    Code.CAP_FS_TRAVERSAL, "'" + text + "' holds a '.', '..' or empty segment; spell the path out");
        }
        if (!hasGlob(segment) || (isLast && isHonourableGlob(segment))) {
            return;
        }
        throw new CompilationError(
                Code.CAP_FS_GLOB,
                "'" + text + "' has a glob that no bind can honour; end the path in '/*', '/**' or a file pattern"
                        + " such as '/*.txt'");
    }

    private static boolean isHonourableGlob(String segment) {
        return segment.equals("*") || segment.equals("**") || (segment.indexOf('.') > 0 && !segment.startsWith("."));
    }

    @Override
    public String toString() {
        return text;
    }
}
