package dev.capsem.cli.screen;

/// How decisions look.
public final class Decisions {
    private Decisions() {}

    public static String painted(Ink ink, String decision) {
        return switch (decision) {
            case "allow", "approved" -> ink.green(decision);
            case "ask", "timed_out", "withdrawn" -> ink.yellow(decision);
            case "block", "denied" -> ink.red(decision);
            case "rewrite" -> ink.cyan(decision);
            default -> decision;
        };
    }
}
