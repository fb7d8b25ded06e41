package dev.capsem.security;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.security.SecurityEvent.ModelResponse;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Events and rule sets for tests.
public final class Events {
    public static final Envelope ENVELOPE =
            Envelope.inline(new EventId("ev-1"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE);
    public static final RuleCompiler COMPILER = new RuleCompiler();

    private Events() {}

    public static HttpRequest http(String method, String host, String path, String... headers) {
        return http(method, host, path, Body.NONE, headers);
    }

    public static HttpRequest http(String method, String host, String path, Body body, String... headers) {
        int query = path.indexOf('?');
        return new HttpRequest(
                ENVELOPE,
                method,
                "https",
                host,
                443,
                query < 0 ? path : path.substring(0, query),
                query < 0 ? Optional.empty() : Optional.of(path.substring(query + 1)),
                Headers.of(headers),
                body);
    }

    public static HttpResponse response(HttpRequest request, int status, Body body, String... headers) {
        return new HttpResponse(ENVELOPE, request, status, Headers.of(headers), body);
    }

    public static DnsRequest dns(String qname) {
        return new DnsRequest(ENVELOPE, qname, "A", "udp");
    }

    public static McpRequest mcp(String server, String tool, String arguments) {
        return mcp(server, tool, arguments, "");
    }

    public static McpRequest mcp(String server, String tool, String arguments, String meta) {
        Optional<JsonDocument> document = JsonDocument.parse(arguments);
        return new McpRequest(
                ENVELOPE,
                "tools/call",
                server,
                Optional.of(tool),
                Optional.of(server + "__" + tool),
                document,
                document.isPresent() ? "valid_json" : arguments.isEmpty() ? "absent" : "not_json",
                JsonDocument.parse(meta));
    }

    public static McpResponse mcpResponse(McpRequest request, boolean isError, String content) {
        return new McpResponse(ENVELOPE, request, isError, JsonDocument.parse(content));
    }

    public static ModelRequest model(String provider, String model) {
        return new ModelRequest(ENVELOPE, provider, "unknown", Optional.of(model), false, Body.of("hello"), List.of());
    }

    public static ModelResponse modelResponse(ModelRequest request, Body body) {
        return new ModelResponse(
                ENVELOPE,
                request,
                request.model(),
                Optional.of("end_turn"),
                body,
                List.of(),
                OptionalLong.of(3),
                OptionalLong.of(5));
    }

    public static ProcessExec exec(String command) {
        return new ProcessExec(ENVELOPE, command, List.of(), Optional.of("/root"));
    }

    public static RuleSnapshot snapshot(String toml) {
        return snapshot(Layer.USER, toml);
    }

    public static RuleSnapshot snapshot(Layer layer, String toml) {
        return switch (COMPILER.compile(List.of(new SourceText("test.toml", layer, toml)))) {
            case RuleCompiler.Result.Compiled compiled -> compiled.snapshot();
            case RuleCompiler.Result.Rejected rejected -> throw new AssertionError(String.valueOf(rejected.problems()));
        };
    }

    public static SecurityEngine engine(String toml) {
        return new SecurityEngine(snapshot(toml));
    }

    /// A rule file of one rule, with a catch-all behind it that allows.
    public static String only(String type, String on, String condition, String decision, String more) {
        return """
                [security.rules.%s.it]
                on = "%s"
                if = '''%s'''
                decision = "%s"
                %s
                [security.rules.%s.rest]
                on = "%s"
                if = "true"
                decision = "allow"
                priority = 1000
                """.formatted(type, on, condition, decision, more, type, on);
    }
}
