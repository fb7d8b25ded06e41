package dev.capsem.cli.record;

/// The growth of a log since it was last read, though its beginning may have been dropped meanwhile.
final class LogGrowth {
    /// Long enough to be found once only.
    private static final int MARK_LENGTH = 256;

    private LogGrowth() {}

    static String since(String seen, String now) {
        if (now.startsWith(seen)) {
            return now.substring(seen.length());
        }
        String mark = seen.substring(Math.max(0, seen.length() - MARK_LENGTH));
        int at = now.lastIndexOf(mark);
        return at < 0 ? now : now.substring(at + mark.length());
    }
}
