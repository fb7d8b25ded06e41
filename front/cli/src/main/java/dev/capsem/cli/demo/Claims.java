package dev.capsem.cli.demo;

import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The claims of the demo, and their results.
final class Claims {
    private static final int CLAIM_WIDTH = 52;
    private static final int EVIDENCE_LENGTH_MAX = 60;

    private record Claim(String text, boolean held, String evidence) {}

    private final Screen screen;
    private final Ink ink;
    private final List<Claim> claims = new ArrayList<>();
    private int stages;

    Claims(Screen screen) {
        this.screen = screen;
        this.ink = screen.outInk();
    }

    Screen screen() {
        return screen;
    }

    void stage(String title, String explanation) {
        stages++;
        screen.print("");
        screen.print(ink.bold(stages + "  " + title));
        screen.print("   " + ink.faint(explanation));
    }

    /// @param evidence what was seen; its first line is shown
    void check(String claim, boolean held, String evidence) {
        String seen =
                evidence.lines().filter(line -> !line.isBlank()).findFirst().orElse("");
        String shown = Printable.line(
                seen.length() <= EVIDENCE_LENGTH_MAX ? seen : seen.substring(0, EVIDENCE_LENGTH_MAX - 1) + "…");
        claims.add(new Claim(claim, held, shown));
        String mark = held ? ink.green("✓") : ink.red("✗");
        screen.print(("   " + mark + " " + claim + " ".repeat(Math.max(1, CLAIM_WIDTH - claim.length()))
                        + ink.faint(shown))
                .stripTrailing());
        screen.out().flush();
    }

    boolean allHeld() {
        return !claims.isEmpty() && claims.stream().allMatch(Claim::held);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object().put("held", allHeld());
        ArrayNode array = json.putArray("claims");
        for (Claim claim : claims) {
            array.add(Json.object()
                    .put("claim", claim.text())
                    .put("held", claim.held())
                    .put("evidence", claim.evidence()));
        }
        return json;
    }

    void conclude(Screen to) {
        to.print("");
        if (allHeld()) {
            to.print(to.outInk().green("All " + claims.size() + " claims held.") + " Everything was deleted again.");
            to.print("");
            to.print("Where to look next");
            to.advise("   capsem run -- id                        one command, sealed");
            to.advise("   capsem run --workspace . -- make test   your project, copy-on-write");
            to.advise("   capsem shell                            a terminal inside");
            to.advise("   capsem --help                           everything else");
            return;
        }
        to.print(to.outInk().red("These claims did not hold:"));
        claims.stream()
                .filter(claim -> !claim.held())
                .forEach(claim -> to.print("   ✗ " + claim.text() + "  " + claim.evidence()));
        to.advise("   → `capsem status` says what this host lacks; `capsem logs` shows the service's log");
    }
}
