package dev.capsem.service.rules;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ClaimedCaller;
import dev.capsem.events.row.DnsRow;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.FsRow;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.ModelInteraction;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Projection;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.TraceId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// Two of each kind of event, with the rows that their producers keep of them.
final class RecordedSession {
    private static final Instant START = Instant.parse("2026-03-02T10:00:00Z");
    private static final TraceId TRACE = new TraceId("0123456789abcdef0123456789abcdef");

    /// An event, and the rows stored with it. An answer to an HTTP request that nobody minded has no event of
    /// its own.
    ///
    /// @param isStored whether it has one
    record Happened(SecurityEvent event, List<Projection> rows, boolean isStored) {}

    /// What is handed to the writer.
    record Stored(SecurityEvent event, List<Projection> rows) {}

    private final List<Happened> all = new ArrayList<>();
    private int count;

    private RecordedSession() {}

    static List<Happened> events() {
        RecordedSession session = new RecordedSession();
        session.http("GET", "api.example.com", "/v1/items", "page=2", "", "curl/8", "welcome", 200);
        session.http("POST", "upload.example.net", "/", "", "hello there", "node", "created", 201);
        session.dns("www.example.com", "A", 1, "udp");
        session.dns("tunnel.example.net", "TXT", 16, "udp");
        session.mcp("github", "search", "{\"repo\":\"me/notes\"}", "{\"content\":[{\"text\":\"found\"}]}");
        session.mcp("docs", "read", "", "{\"content\":[],\"isError\":true}");
        session.model("anthropic", "claude-haiku-9", "hello", "42", "tool_use", "bash", "{\"c\":\"rm -rf /\"}", "", 5);
        session.model("openrouter", "gpt-9", "other", "7", "end_turn", "read", "{\"c\":\"x\"}", "done", 4);
        session.exec("curl https://example.com");
        session.exec("ls -l");
        session.file("create", "/root/.ssh/id", 20);
        session.file("modify", "/root/readme", 3);
        return session.all;
    }

    static List<Stored> stored(List<Happened> happened) {
        return happened.stream()
                .filter(Happened::isStored)
                .map(one -> new Stored(one.event(), one.rows()))
                .toList();
    }

    private Envelope envelope(Correlation correlation) {
        count++;
        return Envelope.inline(
                new EventId("ev-" + count),
                START.plusSeconds(count),
                Attribution.UNKNOWN.withOrigin(OriginKind.GUEST_NETWORK),
                correlation);
    }

    private void add(SecurityEvent event, Projection... rows) {
        all.add(new Happened(event, List.of(rows), true));
    }

    private HttpRequest request(String method, String host, String path, String query, String body, String agent) {
        Headers headers = agent.startsWith("curl")
                ? Headers.of("user-agent", agent, "authorization", "Bearer secret")
                : Headers.of("user-agent", agent, "content-type", "text/plain");
        return new HttpRequest(
                envelope(Correlation.NONE),
                method,
                "https",
                host,
                method.equals("GET") ? 8443 : 443,
                path,
                query.isEmpty() ? Optional.empty() : Optional.of(query),
                headers,
                Body.of(body.getBytes(StandardCharsets.UTF_8), headers.value("content-type")));
    }

    private void http(
            String method,
            String host,
            String path,
            String query,
            String body,
            String agent,
            String answer,
            int status) {
        boolean isTls = status == 200;
        HttpRequest sent = request(method, host, path, query, body, agent);
        HttpRequest request = isTls
                ? sent
                : new HttpRequest(
                        sent.envelope(), method, "http", host, 443, path, sent.query(), sent.headers(), sent.body());
        String kept = agent.startsWith("curl")
                ? "user-agent: " + agent + "\nauthorization: hash:0011223344556677\n"
                : "user-agent: " + agent + "\ncontent-type: text/plain\n";
        String type = status == 200 ? "text/html" : "text/plain";
        add(
                request,
                new NetRow(
                        request.envelope().at(),
                        host,
                        request.port(),
                        Outcome.ALLOWED,
                        Caller.UNKNOWN,
                        Optional.of(method),
                        Optional.of(path),
                        request.query(),
                        OptionalInt.of(status),
                        body.length(),
                        answer.length(),
                        Duration.ofMillis(3),
                        Optional.empty(),
                        new NetRow.Previews(
                                Optional.of(kept),
                                Optional.of("content-type: " + type + "\n"),
                                body.isEmpty() ? Optional.empty() : Optional.of(body),
                                Optional.of(answer)),
                        isTls ? "https" : "http",
                        PolicyOutcome.NONE,
                        Optional.empty()));
        all.add(new Happened(
                new SecurityEvent.HttpResponse(
                        request.envelope(),
                        request,
                        status,
                        Headers.of("content-type", type),
                        Body.of(answer.getBytes(StandardCharsets.UTF_8), Optional.of(type))),
                List.of(),
                false));
    }

    private void dns(String name, String type, int number, String transport) {
        String path = type.equals("TXT") ? "/usr/bin/dig" : "/usr/bin/getent";
        Envelope envelope = envelope(Correlation.NONE)
                .withCaller(new ClaimedCaller(
                        Optional.empty(),
                        Optional.of(path),
                        Optional.of(type.equals("TXT") ? "/usr/bin/digger" : "/x")));
        add(
                new SecurityEvent.DnsRequest(envelope, name, type, transport),
                new DnsRow(
                        envelope.at(),
                        name,
                        number,
                        1,
                        0,
                        Outcome.ALLOWED,
                        Optional.empty(),
                        Optional.of(transport),
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.empty(),
                        PolicyOutcome.NONE));
    }

    /// The rows come with the answer, as the endpoint stores them.
    private void mcp(String server, String tool, String arguments, String result) {
        String whole = server + "__" + tool;
        Optional<JsonDocument> document = JsonDocument.parse(arguments);
        boolean isCall = document.isPresent();
        McpRequest request = new McpRequest(
                envelope(Correlation.NONE),
                isCall ? "tools/call" : "prompts/get",
                server,
                isCall ? Optional.of(tool) : Optional.empty(),
                Optional.of(whole),
                document,
                isCall ? "valid_json" : "absent",
                Optional.empty());
        add(request);
        JsonDocument content = JsonDocument.parse(result).orElseThrow();
        String params = "{\"name\":\"" + whole + "\"" + (isCall ? ",\"arguments\":" + arguments : "") + "}";
        add(
                new SecurityEvent.McpResponse(
                        envelope(Correlation.NONE.withParent(request.envelope().id())),
                        request,
                        result.contains("isError"),
                        Optional.of(content)),
                new McpRow(
                        request.envelope().at(),
                        server,
                        request.method(),
                        Optional.of(whole),
                        Optional.of("1"),
                        Optional.of(params),
                        Optional.of(result),
                        Outcome.ALLOWED,
                        Duration.ofMillis(1),
                        Optional.empty(),
                        Optional.of("node"),
                        10,
                        10,
                        PolicyOutcome.NONE,
                        Optional.of(TRACE)));
    }

    /// The row comes with the request, as the network engine stores it; both belong to an HTTP request.
    private void model(
            String provider,
            String model,
            String asked,
            String tool,
            String stop,
            String call,
            String arguments,
            String text,
            long tokens) {
        EventId carrier = new EventId("carrier-" + provider);
        String body = "{\"prompt\":\"" + asked + "\"}";
        boolean isAnthropic = provider.equals("anthropic");
        ModelRequest request = new ModelRequest(
                envelope(Correlation.NONE.withParent(carrier)),
                provider,
                isAnthropic ? "anthropic_messages" : "openai_responses",
                Optional.of(model),
                false,
                Body.of(body.getBytes(StandardCharsets.UTF_8), Optional.of("application/json")),
                List.of(new SecurityEvent.ToolResult("call-0", tool, false)));
        add(request, row(request, body, tool, stop, call, arguments, text, tokens));
        add(new SecurityEvent.ModelResponse(
                envelope(Correlation.NONE.withParent(carrier)),
                request,
                Optional.of(model),
                Optional.of(stop),
                Body.of(text),
                List.of(new SecurityEvent.ToolCall("call-1", call, "native", JsonDocument.parse(arguments))),
                OptionalLong.of(3),
                OptionalLong.of(tokens)));
    }

    /// A model request that a rule blocked: there is no call, only the HTTP request that carried it.
    static List<Happened> blockedModel(String body) {
        RecordedSession session = new RecordedSession();
        session.http("POST", "api.example.com", "/v1/messages", "", body, "node", "no", 403);
        HttpRequest carrier = (HttpRequest) session.all.getFirst().event();
        session.add(new ModelRequest(
                session.envelope(Correlation.NONE.withParent(carrier.envelope().id())),
                "anthropic",
                "anthropic_messages",
                Optional.of("claude-haiku-9"),
                true,
                carrier.body(),
                List.of()));
        return session.all;
    }

    private static ModelRow row(
            ModelRequest request,
            String body,
            String tool,
            String stop,
            String call,
            String arguments,
            String text,
            long tokens) {
        boolean isAnthropic = request.provider().equals("anthropic");
        return new ModelRow(
                request.envelope().at(),
                request.provider(),
                request.model(),
                Caller.UNKNOWN,
                "POST",
                "/v1/messages",
                false,
                new ModelRow.Request(Optional.empty(), 1, 0, body.length(), Optional.of(body)),
                new ModelRow.Response(
                        Optional.empty(),
                        OptionalInt.of(200),
                        text.isEmpty() ? Optional.empty() : Optional.of(text),
                        Optional.empty(),
                        Optional.of(stop),
                        90),
                new ModelRow.Usage(
                        OptionalLong.of(3), OptionalLong.of(tokens), OptionalDouble.empty(), Optional.empty()),
                Duration.ofMillis(9),
                Optional.of(TRACE),
                List.of(new ModelRow.ToolCall(
                        0, "call-1", call, Optional.of(arguments), ModelRow.ToolOrigin.NATIVE, Optional.of(TRACE))),
                List.of(new ModelRow.ToolResponse("call-0", Optional.of(tool), false, Optional.of(TRACE))),
                Optional.of(new ModelInteraction(
                        request.envelope().id().value(),
                        TRACE,
                        request.envelope().attribution(),
                        SourceEngine.NETWORK,
                        isAnthropic ? ModelInteraction.Provider.ANTHROPIC : ModelInteraction.Provider.UNKNOWN,
                        isAnthropic
                                ? ModelInteraction.ApiFamily.ANTHROPIC_MESSAGES
                                : ModelInteraction.ApiFamily.OPENAI_RESPONSES,
                        request.model().orElseThrow(),
                        ModelInteraction.ParseStatus.COMPLETE,
                        ModelInteraction.EvidenceStatus.COMPLETE,
                        new ModelInteraction.Request(
                                request.envelope().id().value(),
                                request.model(),
                                false,
                                Optional.empty(),
                                1,
                                0,
                                "1",
                                false),
                        Optional.empty(),
                        OptionalLong.of(3),
                        OptionalLong.of(tokens),
                        OptionalLong.empty(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of())));
    }

    private void exec(String command) {
        Envelope envelope = envelope(Correlation.NONE);
        add(
                new SecurityEvent.ProcessExec(envelope, command, List.of(), Optional.empty()),
                new ExecRow(envelope.at(), count, command, ExecRow.Source.API, Optional.empty(), Caller.UNKNOWN));
    }

    private void file(String operation, String path, long size) {
        Envelope envelope = envelope(Correlation.NONE);
        FsRow.Action action = operation.equals("create") ? FsRow.Action.CREATED : FsRow.Action.MODIFIED;
        add(
                new SecurityEvent.FileActivity(envelope, operation, path, OptionalLong.of(size)),
                new FsRow(envelope.at(), action, path, OptionalLong.of(size), Optional.empty()));
    }
}
