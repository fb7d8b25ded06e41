package dev.capsem.service.rules;

import dev.capsem.security.condition.Gaps;
import dev.capsem.security.schema.Unknown;
import dev.capsem.service.rules.RecordedEvents.Told;
import dev.capsem.telemetry.read.SessionReader.Evidence;
import dev.capsem.wire.json.Json;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// HTTP requests and their answers, as `net_events` tells of them.
final class RecordedHttp {
    private static final String REQUEST = "http.request";
    private static final String RESPONSE = "http.response";
    private static final String STRIPPED = "stripped ";
    private static final String REPLACED = "replaced in ";
    private static final String HASH = "hash:";

    private RecordedHttp() {}

    /// The row has the request as it went on; what rewrites did to it is among the evidence.
    static Told request(ObjectNode row, Evidence evidence) {
        ObjectNode out = Json.object();
        return new Told(out, addRequest(out, row, evidence));
    }

    static Told response(ObjectNode row, Evidence evidence) {
        ObjectNode out = Json.object();
        Gaps gaps = addRequest(out, row, evidence);
        Map<String, Object> headers = headers(row.path("response_headers").asString(""));
        ObjectNode response =
                out.putObject("response").put("status", row.path("status_code").asInt(0));
        response.set("headers", json(headers));
        response.set("body", body(headers, row.path("response_body_preview"), row.path("bytes_received")));
        return new Told(out, withChanges(gaps, RESPONSE, headers, evidence.changes()));
    }

    private static Gaps addRequest(ObjectNode out, ObjectNode row, Evidence evidence) {
        ObjectNode request = out.putObject("request");
        String host = row.path("domain").asString();
        request.put("host", host).put("port", row.path("port").asInt(443));
        RecordedEvents.copy(row, "method", request, "method");
        RecordedEvents.copy(row, "path", request, "path");
        RecordedEvents.copy(row, "query", request, "query");
        Map<String, Object> headers = headers(row.path("request_headers").asString(""));
        request.put("scheme", scheme(row));
        request.set("headers", json(headers));
        request.set("body", body(headers, row.path("request_body_preview"), row.path("bytes_sent")));
        List<String> unknown = new ArrayList<>();
        // As the network engine judged it: a literal's address is known before anything is resolved.
        evidence.address()
                .or(() -> Optional.of(host))
                .filter(RecordedHttp::isAddress)
                .ifPresentOrElse(
                        known -> request.put("address", known),
                        () -> unknown.addAll(List.of(REQUEST + ".address", REQUEST + ".address_class")));
        if (RecordedText.isMasked(row.path("path").asString(""))) {
            unknown.addAll(List.of(REQUEST + ".path", REQUEST + ".path_class", REQUEST + ".url"));
        }
        if (RecordedText.isMasked(row.path("query").asString(""))) {
            unknown.addAll(List.of(REQUEST + ".query", REQUEST + ".url"));
        }
        return withChanges(Gaps.at(unknown), REQUEST, headers, evidence.changes());
    }

    /// A WebSocket's row does not say whether it came over TLS, but the port nearly always does.
    private static String scheme(ObjectNode row) {
        String connection = row.path("conn_type").asString("https").toLowerCase(Locale.ROOT);
        if (connection.equals("websocket")) {
            return row.path("port").asInt(443) == 80 ? "ws" : "wss";
        }
        return connection.startsWith("http") && !connection.startsWith("https") ? "http" : "https";
    }

    private static Gaps withChanges(Gaps gaps, String group, Map<String, Object> headers, List<String> changes) {
        Map<String, Object> known = new HashMap<>(headers);
        List<String> unknown = new ArrayList<>();
        for (String typed : changes) {
            if (!typed.startsWith(group + " ")) {
                continue;
            }
            String change = typed.substring(group.length() + 1);
            String path = change.startsWith(REPLACED) ? change.substring(REPLACED.length()) : "";
            if (change.startsWith(STRIPPED)) {
                // It would have been taken out had it been there.
                known.put(change.substring(STRIPPED.length()), Unknown.UNREAD);
            } else if (path.startsWith(group + ".header(")) {
                known.put(path.replaceAll("^.*\\(\"?|\"?\\)$", ""), Unknown.OPAQUE);
            } else if (path.startsWith(group + ".body")) {
                unknown.addAll(List.of(group + ".body.text", group + ".body.size", group + ".bytes"));
            } else if (path.startsWith(group + ".")) {
                unknown.addAll(List.of(path, REQUEST + ".url", REQUEST + ".path_class"));
            }
        }
        Gaps all = gaps.with(unknown);
        boolean isWhole = known.values().stream().noneMatch(Unknown.class::isInstance);
        return isWhole ? all : all.withHeaders(group + ".headers", known);
    }

    private static boolean isAddress(String host) {
        try {
            boolean looksLikeOne =
                    host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
            return looksLikeOne && InetAddress.ofLiteral(host).getAddress().length > 0;
        } catch (IllegalArgumentException notOne) {
            return false;
        }
    }

    /// Lines of `name: value`. Of those kept as a hash or masked only the name is known.
    private static Map<String, Object> headers(String text) {
        Map<String, Object> headers = new HashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                String name = line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
                String value = line.substring(colon + 1).strip();
                boolean isKnown = !value.startsWith(HASH) && !RecordedText.isMasked(value);
                headers.merge(
                        name,
                        isKnown ? List.of(value) : Unknown.OPAQUE,
                        (before, now) -> before instanceof List<?> first && now instanceof List<?> second
                                ? joined(first, second)
                                : Unknown.OPAQUE);
            }
        });
        return headers;
    }

    private static List<Object> joined(List<?> first, List<?> second) {
        List<Object> all = new ArrayList<>(first);
        all.addAll(second);
        return List.copyOf(all);
    }

    private static ObjectNode json(Map<String, Object> headers) {
        ObjectNode json = Json.object();
        headers.forEach((name, values) -> {
            if (values instanceof List<?> texts) {
                texts.forEach(text -> json.withArray(name).add((String) text));
            }
        });
        return json;
    }

    /// The request.
    static ObjectNode requestBody(ObjectNode row) {
        return body(
                headers(row.path("request_headers").asString("")),
                row.path("request_body_preview"),
                row.path("bytes_sent"));
    }

    private static ObjectNode body(Map<String, Object> headers, JsonNode preview, JsonNode size) {
        Optional<String> contentType =
                headers.get("content-type") instanceof List<?> types && types.getFirst() instanceof String type
                        ? Optional.of(type)
                        : Optional.empty();
        return RecordedText.body(
                preview.asString(""), size.asLong(0), headers.containsKey("content-encoding"), contentType);
    }
}
