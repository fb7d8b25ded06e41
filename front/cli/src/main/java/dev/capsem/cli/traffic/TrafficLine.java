package dev.capsem.cli.traffic;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Decisions;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// One exchange in one line: time, decision, method, where to, status, bytes, time taken, rule; on a narrow screen
/// without the last three.
final class TrafficLine {
    private static final int DECISION_WIDTH = 7;
    private static final int METHOD_WIDTH = 7;
    private static final int STATUS_WIDTH = 8;
    private static final int AMOUNT_WIDTH = 9;

    private static final int PLACE_WIDTH_MIN = 20;
    private static final int PLACE_WIDTH_MAX = 48;
    /// Of all columns but the address and the last, with the blanks between them.
    private static final int OTHERS_WIDTH = 56;
    /// What the last column gets before the address gets more than its least.
    private static final int RULE_WIDTH = 26;

    private final Ink ink;
    private final int placeWidth;
    private final int lastWidth;
    private final boolean isNarrow;

    /// @param columns how wide a line may be
    TrafficLine(Ink ink, int columns) {
        this.ink = ink;
        this.isNarrow = columns < OTHERS_WIDTH + PLACE_WIDTH_MIN;
        int others = isNarrow ? OTHERS_WIDTH - 2 * AMOUNT_WIDTH - 2 : OTHERS_WIDTH;
        this.placeWidth = isNarrow
                ? Math.max(1, columns - others)
                : Math.clamp((long) columns - others - RULE_WIDTH, PLACE_WIDTH_MIN, PLACE_WIDTH_MAX);
        this.lastWidth = Math.max(0, columns - others - placeWidth);
    }

    /// Empty for what is not an exchange with the world.
    ///
    /// @param exchange as the service shows it: `event` and `rows`
    Optional<String> of(JsonNode exchange) {
        for (JsonNode row : exchange.path("rows")) {
            switch (row.path("table").asString("")) {
                case "net_events" -> {
                    return Optional.of(http(row));
                }
                case "dns_events" -> {
                    return Optional.of(dns(row));
                }
                case "model_calls" -> {
                    return Optional.of(model(row));
                }
                default -> {
                    // Not about the network.
                }
            }
        }
        return Optional.empty();
    }

    private String http(JsonNode row) {
        boolean isPlain = row.path("conn_type").asString("").equals("http-mitm");
        int port = row.path("port").asInt(443);
        String place = row.path("domain").asString("")
                + (port == (isPlain ? 80 : 443) ? "" : ":" + port)
                + row.path("path").asString("");
        String status = row.has("status_code")
                ? Integer.toString(row.path("status_code").asInt())
                : "-";
        long bytes =
                row.path("bytes_sent").asLong(0) + row.path("bytes_received").asLong(0);
        return line(row, row.path("method").asString("-"), place, status, Amounts.bytes(bytes), rule(row));
    }

    private String dns(JsonNode row) {
        return line(
                row,
                "DNS",
                row.path("qname").asString(""),
                responseCode(row.path("rcode").asInt(0)),
                "",
                rule(row));
    }

    private String model(JsonNode row) {
        String tokens = row.path("input_tokens").asLong(0) + "→"
                + row.path("output_tokens").asLong(0) + " tok";
        String cost = row.has("estimated_cost_usd")
                ? String.format(
                        Locale.ROOT, "$%.4f", row.path("estimated_cost_usd").asDouble())
                : "$?";
        return line(
                row,
                "MODEL",
                row.path("provider").asString("") + " " + row.path("model").asString("unknown"),
                row.has("status_code")
                        ? Integer.toString(row.path("status_code").asInt())
                        : "-",
                tokens,
                cost);
    }

    private String line(JsonNode row, String method, String place, String status, String amount, String last) {
        String decision = decision(row);
        String took = row.has("duration_ms") || row.has("upstream_resolver_ms")
                ? Amounts.millis(row.path(row.has("duration_ms") ? "duration_ms" : "upstream_resolver_ms")
                        .asLong(0))
                : "";
        return (ink.faint(time(row.path("timestamp").asString(""))) + " "
                        + Decisions.painted(ink, decision)
                        + " ".repeat(Math.max(0, DECISION_WIDTH - decision.length())) + " "
                        + padded(method, METHOD_WIDTH) + " "
                        + padded(place, placeWidth) + " "
                        + padded(status, STATUS_WIDTH) + " "
                        + (isNarrow ? "" : right(amount) + " " + right(took) + " ") + " "
                        + ink.faint(cut(Printable.line(last))))
                .stripTrailing();
    }

    /// The decision of a rule, or else the outcome.
    private static String decision(JsonNode row) {
        if (row.has("policy_action")) {
            return row.path("policy_action").asString("");
        }
        return switch (row.path("decision").asString("")) {
            case "denied" -> "block";
            case "error" -> "error";
            default -> "allow";
        };
    }

    private static String rule(JsonNode row) {
        return row.path("policy_rule").asString("").replaceFirst("^security\\.rules\\.", "");
    }

    private static String responseCode(int code) {
        return switch (code) {
            case 0 -> "NOERROR";
            case 1 -> "FORMERR";
            case 2 -> "SERVFAIL";
            case 3 -> "NXDOMAIN";
            case 4 -> "NOTIMP";
            case 5 -> "REFUSED";
            default -> Integer.toString(code);
        };
    }

    /// `12:00:01` of `2026-01-31T12:00:01.123456Z`.
    private static String time(String timestamp) {
        int t = timestamp.indexOf('T');
        return t < 0 || timestamp.length() < t + 9 ? timestamp : timestamp.substring(t + 1, t + 9);
    }

    private static String padded(String text, int width) {
        String safe = Printable.line(text);
        return safe.length() <= width
                ? safe + " ".repeat(width - safe.length())
                : safe.substring(0, Math.max(0, width - 1)) + "…";
    }

    private String cut(String text) {
        return text.length() <= lastWidth ? text : lastWidth == 0 ? "" : text.substring(0, lastWidth - 1) + "…";
    }

    private static String right(String text) {
        return " ".repeat(Math.max(0, AMOUNT_WIDTH - text.length())) + text;
    }
}
