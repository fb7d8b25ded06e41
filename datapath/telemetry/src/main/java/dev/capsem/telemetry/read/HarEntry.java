package dev.capsem.telemetry.read;

import dev.capsem.wire.json.Json;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// One row of net_events as an entry of a HAR. Members that begin with `_` are ours, as the format allows.
final class HarEntry {
    /// The format's value for an unknown number.
    private static final int UNKNOWN = -1;

    private HarEntry() {}

    /// @param row without NULLs
    static ObjectNode of(ObjectNode row) {
        long millis = row.path("duration_ms").asLong(0);
        ObjectNode entry = Json.object()
                .put("startedDateTime", text(row, "timestamp").orElse(""))
                .put("time", millis);
        entry.set("request", request(row));
        entry.set("response", response(row));
        entry.putObject("cache");
        // Only the whole is recorded; a viewer shows it as waiting.
        entry.putObject("timings").put("send", 0).put("wait", millis).put("receive", 0);
        entry.put("_decision", text(row, "decision").orElse(""));
        text(row, "policy_rule").ifPresent(rule -> entry.put("_rule", rule));
        text(row, "policy_reason").ifPresent(reason -> entry.put("_reason", reason));
        text(row, "process_name").ifPresent(name -> entry.put("_process", name));
        text(row, "trace_id").ifPresent(trace -> entry.put("_trace", trace));
        return entry;
    }

    private static ObjectNode request(ObjectNode row) {
        ArrayNode headers = headers(text(row, "request_headers").orElse(""));
        ObjectNode request = Json.object()
                .put("method", text(row, "method").orElse(""))
                .put("url", url(row))
                .put("httpVersion", "unknown");
        request.putArray("cookies");
        String type = mediaType(headers);
        request.set("headers", headers);
        request.set("queryString", parameters(text(row, "query").orElse("")));
        text(row, "request_body_preview").ifPresent(body -> {
            ObjectNode data = request.putObject("postData").put("mimeType", type);
            data.putArray("params");
            data.put("text", body);
        });
        return request.put("headersSize", UNKNOWN)
                .put("bodySize", row.path("bytes_sent").asLong(0));
    }

    private static ObjectNode response(ObjectNode row) {
        ArrayNode headers = headers(text(row, "response_headers").orElse(""));
        ObjectNode response = Json.object()
                .put("status", row.path("status_code").asInt(0))
                .put("statusText", "")
                .put("httpVersion", "unknown");
        response.putArray("cookies");
        response.set("headers", headers);
        long size = row.path("bytes_received").asLong(0);
        ObjectNode content = response.putObject("content").put("size", size).put("mimeType", mediaType(headers));
        text(row, "response_body_preview").ifPresent(body -> content.put("text", body));
        // A viewer would follow a hash.
        Optional<String> location = header(headers, "location").filter(value -> !value.startsWith("hash:"));
        return response.put("redirectURL", location.orElse(""))
                .put("headersSize", UNKNOWN)
                .put("bodySize", size);
    }

    private static String url(ObjectNode row) {
        String host = text(row, "domain").orElse("");
        int port = row.path("port").asInt(443);
        String type = text(row, "conn_type").orElse("https");
        // Of a WebSocket only its port tells.
        boolean isPlain = type.equals("http-mitm") || type.equals("http") || (type.equals("websocket") && port == 80);
        return (isPlain ? "http://" : "https://")
                + (host.contains(":") ? "[" + host + "]" : host)
                + (port == (isPlain ? 80 : 443) ? "" : ":" + port)
                + text(row, "path").orElse("/")
                + text(row, "query").map(query -> "?" + query).orElse("");
    }

    /// One line per field, as they are recorded.
    private static ArrayNode headers(String lines) {
        ArrayNode headers = Json.array();
        lines.lines().forEach(line -> {
            int colon = line.indexOf(": ", 1);
            if (colon > 0) {
                headers.addObject().put("name", line.substring(0, colon)).put("value", line.substring(colon + 2));
            }
        });
        return headers;
    }

    private static ArrayNode parameters(String query) {
        ArrayNode parameters = Json.array();
        for (String part : query.split("&", -1)) {
            if (!part.isEmpty()) {
                int equals = part.indexOf('=');
                parameters
                        .addObject()
                        .put("name", decoded(equals < 0 ? part : part.substring(0, equals)))
                        .put("value", equals < 0 ? "" : decoded(part.substring(equals + 1)));
            }
        }
        return parameters;
    }

    /// As it stands where a guest wrote what cannot be decoded.
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return text;
        }
    }

    private static String mediaType(ArrayNode headers) {
        return header(headers, "content-type").orElse("x-unknown");
    }

    private static Optional<String> header(ArrayNode headers, String name) {
        for (JsonNode header : headers) {
            if (header.path("name").asString("").equalsIgnoreCase(name)) {
                return Optional.of(header.path("value").asString(""));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> text(ObjectNode row, String column) {
        return row.has(column) ? Optional.of(row.path(column).asString("")) : Optional.empty();
    }
}
