package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The first text frame on `GET /exec/{id}/pty`: `{"start": {…}}`.
///
/// @param tty true: a terminal, output is one stream of binary frames. False: pipes; then each binary frame from the
///     service begins with one byte, 1 for stdout or 2 for stderr
public record TerminalStart(ExecRequest exec, boolean tty, int rows, int columns) {
    public static final int ROWS_DEFAULT = 24;
    public static final int COLUMNS_DEFAULT = 80;

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.set("start", exec.toJson().put("tty", tty).put("rows", rows).put("columns", columns));
        return json;
    }

    public static TerminalStart fromJson(JsonNode node) {
        JsonNode start = JsonMembers.of(node, "")
                .node("start")
                .orElseThrow(() -> new JsonShapeException("the first frame must hold \"start\""));
        JsonMembers fields = JsonMembers.of(start, "start");
        return new TerminalStart(
                ExecRequest.fromJson(start),
                fields.flag("tty", true),
                fields.optionalInteger("rows").orElse(ROWS_DEFAULT),
                fields.optionalInteger("columns").orElse(COLUMNS_DEFAULT));
    }
}
