package dev.capsem.cli.diagnose;

import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import tools.jackson.databind.JsonNode;

/// The most important findings, one a line, the kind in colour.
final class Findings {
    private Findings() {}

    static void print(Screen screen, JsonNode rank) {
        for (JsonNode finding : rank) {
            screen.print(painted(screen.outInk(), Printable.line(finding.asString(""))));
        }
    }

    private static String painted(Ink ink, String finding) {
        int colon = finding.indexOf(": ");
        int time = finding.lastIndexOf(" [");
        if (colon < 0 || time <= colon) {
            return finding;
        }
        String kind = finding.substring(0, colon);
        String shown = switch (kind) {
            case "slow", "ask", "dns" -> ink.yellow(kind);
            case "rewrite" -> ink.cyan(kind);
            default -> ink.red(kind);
        };
        return shown + " ".repeat(Math.max(1, 7 - kind.length())) + finding.substring(colon + 2, time) + "  "
                + ink.faint(finding.substring(time + 2, finding.length() - 1));
    }
}
