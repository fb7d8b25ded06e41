package dev.capsem.service.rules;

import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.Answered;
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

    private final ProcessConnector connector;

    public RuleCounts(ProcessConnector connector) {
        this.connector = connector;
    }

    /// @param rules how often each decided
    /// @param detections how often each found something
    /// @param silent the sandboxes that did not answer
    public record Counted(Tally rules, Tally detections, int asked, List<String> silent) {
        public Counted {
            silent = List.copyOf(silent);
        }
    }

    /// Counts of many sandboxes, added up.
    ///
    /// @param byId match counts
    /// @param lastMatched when, in milliseconds
    public record Tally(Map<String, Long> byId, Map<String, Long> lastMatched) {
        private static Tally empty() {
            return new Tally(new TreeMap<>(), new TreeMap<>());
        }

        private void add(JsonNode counts) {
            for (JsonNode count : counts) {
                String id = count.path("id").asString("");
                byId.merge(id, count.path("match_count").asLong(0), Long::sum);
                if (count.has("last_matched_unix_ms")) {
                    lastMatched.merge(id, count.path("last_matched_unix_ms").asLong(0), Math::max);
                }
            }
        }

        private Tally frozen() {
            return new Tally(Map.copyOf(byId), Map.copyOf(lastMatched));
        }
    }

    public Counted of(Collection<Sandbox> sandboxes) {
        Tally rules = Tally.empty();
        Tally detections = Tally.empty();
        List<String> silent = new ArrayList<>();
        for (Sandbox sandbox : sandboxes) {
            if (!add(sandbox, rules, detections)) {
                silent.add(sandbox.id().value());
            }
        }
        return new Counted(rules.frozen(), detections.frozen(), sandboxes.size(), silent);
    }

    private boolean add(Sandbox sandbox, Tally rules, Tally detections) {
        if (sandbox.instance().isEmpty()) {
            return false;
        }
        try (ProcessConnection connection =
                connector.open(sandbox.instance().get().socket(), ANSWER_MAX)) {
            if (!(connection.ask(new ServiceMessage.GetRuleStats())
                    instanceof Answered.With(ProcessMessage.RuleStats(String json)))) {
                return false;
            }
            JsonNode counts = Json.parse(json.getBytes(StandardCharsets.UTF_8));
            rules.add(counts.path("rules"));
            detections.add(counts.path("detections"));
            return true;
        } catch (IpcException | JsonShapeException e) {
            return false;
        }
    }
}
