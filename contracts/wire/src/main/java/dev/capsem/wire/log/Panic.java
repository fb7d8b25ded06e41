package dev.capsem.wire.log;

import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A thread of one of our programs, or the whole program, ended by a bug.
///
/// @param binary the program
/// @param sandbox whose process it was
/// @param frames at most [Thrown#FRAMES_MAX], the innermost first
public record Panic(
        Instant at,
        String binary,
        long pid,
        Optional<String> sandbox,
        Optional<String> thread,
        Optional<String> location,
        String message,
        List<String> frames) {
    /// The target of its log line, and of no other.
    public static final String TARGET = "panic";

    public Panic {
        frames = List.copyOf(frames);
    }

    public static Panic of(
            Instant at, String binary, long pid, Optional<String> sandbox, Thread thread, Throwable failure) {
        Thrown thrown = Thrown.of(failure);
        return new Panic(
                at,
                binary,
                pid,
                sandbox,
                Optional.of(thread.getName()).filter(name -> !name.isEmpty()),
                Optional.of(thrown.location()).filter(place -> !place.isEmpty()),
                thrown.what(),
                thrown.frames());
    }

    /// The same, known to be about this sandbox.
    public Panic of(String id) {
        return new Panic(at, binary, pid, Optional.of(id), thread, location, message, frames);
    }

    public LogLine toLine() {
        ObjectNode fields =
                Json.object().put("message", message).put("binary", binary).put("pid", pid);
        sandbox.ifPresent(id -> fields.put("sandbox", id));
        thread.ifPresent(name -> fields.put("thread", name));
        location.ifPresent(place -> fields.put("location", place));
        fields.set("frames", list());
        return new LogLine(at, "ERROR", TARGET, fields);
    }

    /// Empty for a line that is about something else.
    ///
    /// @param binary whose log it stands in, where it does not say itself
    public static Optional<Panic> fromLine(LogLine line, String binary) {
        if (!line.target().equals(TARGET) && !line.message().startsWith("PANIC")) {
            return Optional.empty();
        }
        List<String> frames = new ArrayList<>();
        for (JsonNode frame : line.fields().path("frames")) {
            frames.add(frame.asString(""));
        }
        for (JsonNode step : line.fields().path("throwable").path("stepArray")) {
            frames.add(step.path("className").asString("") + "."
                    + step.path("methodName").asString("") + "("
                    + step.path("fileName").asString("") + ":"
                    + step.path("lineNumber").asInt(0) + ")");
        }
        return Optional.of(new Panic(
                line.at(),
                optional(line, "binary").orElse(binary),
                line.fields().path("pid").asLong(0),
                optional(line, "sandbox"),
                optional(line, "thread").or(() -> optional(line, "threadName")),
                optional(line, "location"),
                line.message(),
                frames.subList(0, Math.min(frames.size(), Thrown.FRAMES_MAX))));
    }

    private static Optional<String> optional(LogLine line, String name) {
        return Optional.of(line.field(name)).filter(value -> !value.isEmpty());
    }

    /// As `GET /panics` shows it.
    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("ts", at.toString()).put("binary", binary);
        if (pid > 0) {
            json.put("pid", pid);
        }
        sandbox.ifPresent(id -> json.put("sandbox", id));
        thread.ifPresent(name -> json.put("thread", name));
        location.ifPresent(place -> json.put("location", place));
        json.put("message", message).set("frames", list());
        return json;
    }

    private ArrayNode list() {
        ArrayNode list = Json.array();
        frames.forEach(list::add);
        return list;
    }
}
