package dev.capsem.cli.agent;

import dev.capsem.client.SandboxService;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.DiffReply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// Asks the record of a sandbox what happened in it. What cannot be read is left out: the work itself is not in danger.
record AgentRecord(SandboxService service, String id) {
    private static final String REFUSED = "SELECT DISTINCT domain FROM net_events WHERE decision = 'denied'"
            + " AND coalesce(policy_rule, '') NOT LIKE '%telemetry' AND coalesce(policy_rule, '') NOT LIKE"
            + " '%agent_refused' ORDER BY domain LIMIT 50";
    private static final String TOOLS =
            "SELECT tool_name, count(*) FROM tool_calls GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20";
    private static final String COMMANDS = "SELECT count(*) FROM audit_events";

    /// @param seconds how long it took
    WorkSummary summary(long seconds, String budget, DiffReply diff) {
        Map<String, Long> tools = new LinkedHashMap<>();
        rows(TOOLS).forEach(row -> tools.put(row.path(0).asString(""), number(row.path(1))));
        List<String> hosts = new ArrayList<>();
        rows(REFUSED).forEach(row -> hosts.add(row.path(0).asString("")));
        long commands = 0;
        for (JsonNode row : rows(COMMANDS)) {
            commands = number(row.path(0));
        }
        return new WorkSummary(id, seconds, cost(), budget, hosts, tools, commands, diff);
    }

    private static long number(JsonNode cell) {
        return cell.isNumber() ? cell.asLong(0) : Long.parseLong(cell.asString("0"));
    }

    private JsonNode cost() {
        try {
            return service.get(new RequestTarget("cost", id) + "?by=model").path("total");
        } catch (ServiceCallException unknown) {
            return Json.object();
        }
    }

    private JsonNode rows(String sql) {
        try {
            return service.post(
                            new RequestTarget("inspect", id).toString(),
                            Json.object().put("sql", sql))
                    .path("rows");
        } catch (ServiceCallException unknown) {
            return Json.array();
        }
    }
}
