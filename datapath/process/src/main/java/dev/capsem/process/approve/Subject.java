package dev.capsem.process.approve;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityEvent.FileActivity;
import dev.capsem.events.security.SecurityEvent.HostActivity;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.security.SecurityEvent.ModelResponse;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import java.util.List;
import java.util.Optional;

/// What a question is about.
///
/// @param key what an approval for the session covers: equal keys are the same question
/// @param line for people; no header, no query, no body
/// @param processName of the process behind it, where it is known
record Subject(List<String> key, String line, Optional<String> processName) {
    private static final int LINE_CHARS_MAX = 300;

    Subject {
        key = List.copyOf(key);
        line = shortened(line);
    }

    private Subject(List<String> key, String line) {
        this(key, line, Optional.empty());
    }

    /// The process is the one that the guest names, where the event itself knows no better; it is no part of the key.
    static Subject of(SecurityEvent event) {
        Subject about = about(event);
        return about.processName.isPresent()
                ? about
                : new Subject(about.key, about.line, event.envelope().caller().name());
    }

    private static Subject about(SecurityEvent event) {
        return switch (event) {
            case HttpRequest request -> http("http.request", request, "");
            case HttpResponse response ->
                http("http.response", response.request(), "answer " + response.status() + " to ");
            case DnsRequest request ->
                new Subject(List.of("dns", request.qname()), request.qtype() + " " + request.qname());
            case McpRequest request -> mcp("mcp.request", request, "");
            case McpResponse response -> mcp("mcp.response", response.request(), "result of ");
            case ModelRequest request -> model("model.request", request, "");
            case ModelResponse response -> model("model.response", response.request(), "answer of ");
            case ProcessExec exec ->
                new Subject(
                        List.of("process", exec.command(), String.join("\0", exec.argv())),
                        exec.command(),
                        Optional.of(exec.executable()));
            case FileActivity activity ->
                new Subject(
                        List.of("file", activity.operation(), activity.path()),
                        activity.operation() + " " + activity.path());
            case HostActivity activity ->
                new Subject(
                        List.of("host", activity.type().wireName(), activity.operation()),
                        activity.type().wireName() + " " + activity.operation());
        };
    }

    private static Subject http(String type, HttpRequest request, String what) {
        HttpRequest shown = request.withQuery(Optional.empty());
        return new Subject(
                List.of(type, request.scheme(), request.host(), String.valueOf(request.port()), request.method()),
                what + request.method() + " " + shown.url());
    }

    private static Subject mcp(String type, McpRequest request, String what) {
        String called = request.toolName().orElse(request.method());
        return new Subject(
                List.of(type, request.serverName(), request.method(), called),
                what + request.serverName() + " " + called);
    }

    private static Subject model(String type, ModelRequest request, String what) {
        String model = request.model().orElse("unnamed model");
        return new Subject(List.of(type, request.provider(), model), what + request.provider() + " " + model);
    }

    /// The guest chose most of it: no control characters for a terminal, and no end of a line.
    private static String shortened(String line) {
        StringBuilder clean = new StringBuilder();
        line.codePoints()
                .limit(LINE_CHARS_MAX)
                .forEach(c -> clean.appendCodePoint(Character.isISOControl(c) || isFormat(c) ? ' ' : c));
        return clean.length() < line.length() ? clean.append('…').toString() : clean.toString();
    }

    /// Such as marks that turn the direction of writing around.
    private static boolean isFormat(int c) {
        return Character.getType(c) == Character.FORMAT
                || Character.getType(c) == Character.LINE_SEPARATOR
                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
    }
}
