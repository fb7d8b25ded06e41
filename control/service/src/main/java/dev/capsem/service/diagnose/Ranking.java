package dev.capsem.service.diagnose;

import dev.capsem.wire.log.Panic;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// One sentence for each finding, the worst kinds first, of each kind only a few: `panic: …`, `crash: …`, `block: …`.
final class Ranking {
    private static final int PANICS_MAX = 5;
    private static final int OTHERS_MAX = 3;
    private static final int TEXT_LENGTH_MAX = 160;

    private enum Kind {
        PANIC,
        CRASH,
        IPC,
        SERVER_ERROR,
        BLOCK,
        NET_ERROR,
        EXEC,
        MCP,
        DNS,
        SLOW_CALL
    }

    private final ArrayNode rank;
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);

    Ranking(ArrayNode rank) {
        this.rank = rank;
    }

    private void add(Kind kind, String sentence) {
        int count = counts.merge(kind, 1, Integer::sum);
        if (count <= (kind == Kind.PANIC ? PANICS_MAX : OTHERS_MAX)) {
            rank.add(sentence);
        }
    }

    void panic(Panic panic) {
        add(
                Kind.PANIC,
                "panic: " + panic.binary()
                        + panic.sandbox().map(id -> " of " + id).orElse("")
                        + ": " + cut(panic.message())
                        + panic.location().map(place -> " at " + place).orElse("")
                        + time(panic.at()));
    }

    void crash(Instant at, String sandbox, Optional<Panic> cause) {
        add(
                Kind.CRASH,
                "crash: the process of " + sandbox + " ended unexpectedly"
                        + cause.map(panic -> ": " + cut(panic.message()))
                                .orElse(" and left no panic: killed from outside, or out of memory")
                        + time(at));
    }

    void drop(Instant at, String sandbox, String operation, String code) {
        add(
                Kind.IPC,
                "ipc: the connection to " + sandbox + " was lost during " + operation + " (" + code + ")" + time(at));
    }

    void serverError(Instant at, String operation, String status, String code) {
        add(Kind.SERVER_ERROR, "error: " + operation + " answered " + status + " " + code + time(at));
    }

    void session(ObjectNode troubles) {
        for (Row row : rows(troubles, "denied_net")) {
            add(
                    Kind.BLOCK,
                    "block: " + row.text("method") + " " + row.text("domain") + row.text("path") + by(row)
                            + row.time());
        }
        for (Row row : rows(troubles, "security_decisions")) {
            // Blocked requests were named above, with more detail.
            if (!row.text("event_family").equals("http")) {
                add(
                        Kind.BLOCK,
                        row.text("final_action") + ": " + row.text("event_type") + row.after(" by ", "rule_id")
                                + row.after(": ", "reason") + row.time());
            }
        }
        for (Row row : rows(troubles, "net_errors")) {
            add(
                    Kind.NET_ERROR,
                    "error: " + row.text("method") + " " + row.text("domain") + row.text("path")
                            + row.after(" answered ", "status_code") + row.after(": ", "policy_reason") + row.time());
        }
        for (Row row : rows(troubles, "exec_failures")) {
            String became =
                    row.text("exit_code").isEmpty() ? " did not finish" : " exited with " + row.text("exit_code");
            add(
                    Kind.EXEC,
                    "error: `" + cut(row.text("command")) + "`" + became + lastLine(row.text("stderr")) + row.time());
        }
        for (Row row : rows(troubles, "mcp_errors")) {
            add(
                    Kind.MCP,
                    "error: MCP " + row.text("server_name") + "/" + row.text("tool_name") + " " + row.text("decision")
                            + row.after(": ", "error_message") + row.after(" by ", "policy_rule") + row.time());
        }
        for (Row row : rows(troubles, "dns_issues")) {
            add(Kind.DNS, "dns: " + row.text("qname") + " rcode=" + row.text("rcode") + by(row) + row.time());
        }
        for (Row row : rows(troubles, "slow_calls")) {
            // A command or a model takes the time it takes; that is no trouble.
            if (!row.text("layer").equals("net") && !row.text("layer").equals("mcp")) {
                continue;
            }
            add(
                    Kind.SLOW_CALL,
                    "slow: " + row.text("layer") + " " + cut(row.text("what")) + " took " + row.text("duration_ms")
                            + " ms" + row.time());
        }
    }

    private static String by(Row row) {
        return row.after(" by ", "policy_rule") + row.after(": ", "policy_reason");
    }

    private static String lastLine(String text) {
        return text.lines()
                .filter(line -> !line.isBlank())
                .reduce((_, last) -> last)
                .map(line -> ": " + cut(line))
                .orElse("");
    }

    private static String time(Instant at) {
        return " [" + at.toString().replaceFirst("\\.\\d+", "") + "]";
    }

    private static String cut(String text) {
        String line = text.replace('\n', ' ');
        return line.length() <= TEXT_LENGTH_MAX ? line : line.substring(0, TEXT_LENGTH_MAX) + "…";
    }

    /// A row of a table, by the names of its columns.
    private record Row(Map<String, JsonNode> values) {
        String text(String column) {
            JsonNode value = values.get(column);
            return value == null || value.isNull() ? "" : value.asString("");
        }

        String after(String prefix, String column) {
            String text = text(column);
            return text.isEmpty() ? "" : prefix + cut(text);
        }

        String time() {
            return " [" + text("timestamp").replaceFirst("\\.\\d+", "") + "]";
        }
    }

    private static Iterable<Row> rows(ObjectNode troubles, String name) {
        JsonNode table = troubles.path(name);
        return () -> table.path("rows")
                .valueStream()
                .map(row -> {
                    Map<String, JsonNode> values = new HashMap<>();
                    for (int i = 0; i < row.size(); i++) {
                        values.put(table.path("columns").path(i).asString(""), row.path(i));
                    }
                    return new Row(values);
                })
                .iterator();
    }
}
