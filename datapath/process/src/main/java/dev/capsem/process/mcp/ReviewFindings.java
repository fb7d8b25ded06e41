package dev.capsem.process.mcp;

import dev.capsem.events.row.Finding;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.mcp.pin.ToolPins;
import dev.capsem.mcp.pin.ToolPins.Change;
import dev.capsem.mcp.pin.ToolSuspicion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// What a look at the servers' tools brought to light, as findings.
final class ReviewFindings {
    private static final String PACK = "capsem.mcp";

    private final IdSource ids;
    /// A suspicion is found at every look, and told once.
    private final Set<ToolSuspicion> told = ConcurrentHashMap.newKeySet();

    ReviewFindings(IdSource ids) {
        this.ids = ids;
    }

    List<Finding> of(ToolPins.Review review) {
        List<Finding> findings = new ArrayList<>();
        for (Change change : review.changes()) {
            findings.add(
                    switch (change) {
                        case Change.Added(String key) ->
                            finding("tool_added", "a server offers a new tool: " + key, Severity.LOW);
                        case Change.Altered(String key, var _) ->
                            finding("tool_changed", "a tool is not what it was: " + key, Severity.HIGH);
                        case Change.Renamed(String from, String key) ->
                            finding(
                                    "tool_renamed",
                                    "a tool has another name: " + from + " is now " + key,
                                    Severity.MEDIUM);
                        case Change.Removed(String key) ->
                            finding("tool_removed", "a tool is gone: " + key, Severity.INFO);
                    });
        }
        for (ToolSuspicion suspicion : review.suspicions()) {
            if (!told.add(suspicion)) {
                continue;
            }
            findings.add(
                    switch (suspicion) {
                        case ToolSuspicion.HiddenText(String key, String where, List<String> characters) ->
                            finding(
                                    "tool_hidden_text",
                                    "a tool hides " + String.join(" ", characters) + " in " + where + ": " + key,
                                    Severity.HIGH);
                        case ToolSuspicion.SameName(String key, String other) ->
                            finding("tool_same_name", key + " has the name of " + other, Severity.MEDIUM);
                        case ToolSuspicion.LooksLike(String key, String other) ->
                            finding("tool_looks_like", key + " looks like " + other, Severity.HIGH);
                        case ToolSuspicion.Telling(String key, String where, String meaning, var _) ->
                            finding("tool_telling", key + " " + meaning + " in " + where, Severity.HIGH);
                        case ToolSuspicion.SpeaksOf(String key, String other) ->
                            finding("tool_speaks_of", key + " speaks of " + other, Severity.MEDIUM);
                    });
        }
        return findings;
    }

    private Finding finding(String rule, String title, Severity severity) {
        return new Finding(
                ids.nextEventId().value(),
                PACK + "." + rule,
                PACK,
                Optional.empty(),
                title,
                severity,
                Confidence.HIGH,
                List.of("mcp", rule));
    }
}
