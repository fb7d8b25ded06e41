package dev.capsem.service.rules;

import dev.capsem.service.sandboxes.ProcessDoor;
import dev.capsem.service.sandboxes.ProcessLink;
import dev.capsem.service.sandboxes.Sandbox;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/// How often rules decided in running sandboxes, as their processes count it.
public final class RuleCounts {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final ProcessDoor door;

    public RuleCounts(ProcessDoor door) {
        this.door = door;
    }

    /// @param byRule match counts
    /// @param lastMatched when, in milliseconds
    /// @param silent the sandboxes that did not answer
    public record Counted(Map<String, Long> byRule, Map<String, Long> lastMatched, int asked, List<String> silent) {
        public Counted {
            byRule = Map.copyOf(byRule);
            lastMatched = Map.copyOf(lastMatched);
            silent = List.copyOf(silent);
        }
    }

    public Counted of(Collection<Sandbox> sandboxes) {
        Map<String, Long> byRule = new TreeMap<>();
        Map<String, Long> lastMatched = new TreeMap<>();
        List<String> silent = new ArrayList<>();
        for (Sandbox sandbox : sandboxes) {
            if (!add(sandbox, byRule, lastMatched)) {
                silent.add(sandbox.id().value());
            }
        }
        return new Counted(byRule, lastMatched, sandboxes.size(), silent);
    }

    private boolean add(Sandbox sandbox, Map<String, Long> byRule, Map<String, Long> lastMatched) {
        if (sandbox.instance().isEmpty()) {
            return false;
        }
        try (ProcessLink link = door.open(sandbox.instance().get().socket(), ANSWER_MAX)) {
            link.send(new ServiceMessage.GetRuleStats());
            if (!(link.receive().orElse(null) instanceof ProcessMessage.RuleStats stats)) {
                return false;
            }
            for (JsonNode rule :
                    Json.parse(stats.json().getBytes(StandardCharsets.UTF_8)).path("rules")) {
                String id = rule.path("id").asString("");
                byRule.merge(id, rule.path("match_count").asLong(0), Long::sum);
                if (rule.has("last_matched_unix_ms")) {
                    lastMatched.merge(id, rule.path("last_matched_unix_ms").asLong(0), Math::max);
                }
            }
            return true;
        } catch (IpcException | JsonShapeException e) {
            return false;
        }
    }
}
