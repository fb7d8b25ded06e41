package dev.capsem.events.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
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
import dev.capsem.events.security.SecurityEvent.ToolCall;
import dev.capsem.events.security.SecurityEvent.ToolResult;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.TraceId;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

class SecurityEventJsonTest {
    private static final Path REFERENCE = Path.of("../../docs/reference/security-events.md");
    private static final JsonMapper PRETTY =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private static final Envelope ENVELOPE = Envelope.inline(
            new EventId("ev-0001"),
            Instant.parse("2026-01-02T03:04:05.678Z"),
            new Attribution(
                    AttributionScope.SESSION,
                    OriginKind.GUEST_NETWORK,
                    Optional.empty(),
                    Optional.of("box-1"),
                    Optional.of("s-1"),
                    Optional.of("coding"),
                    Optional.of("3"),
                    Optional.of("ada")),
            Correlation.NONE.withTrace(new TraceId("0af7651916cd43dd8448eb211c80319c")));

    private static final HttpRequest HTTP = new HttpRequest(
            ENVELOPE,
            "POST",
            "https",
            "api.example.com",
            443,
            "/v1/things",
            Optional.of("dry=1"),
            Headers.of("content-type", "text/plain", "accept", "a/b", "accept", "c/d"),
            new Body.Text("hello", false, 5, Optional.of("text/plain")),
            Optional.of(InetAddress.ofLiteral("2001:4860::8888")));

    private static final McpRequest MCP = new McpRequest(
            ENVELOPE,
            "tools/call",
            "github",
            Optional.of("search"),
            Optional.of("github__search"),
            JsonDocument.parse("{\"repo\": \"a/b\", \"limit\": 5}"),
            "valid_json",
            JsonDocument.parse("{\"traceparent\": \"00-1\"}"));

    private static final ModelRequest MODEL = new ModelRequest(
            ENVELOPE,
            "anthropic",
            "anthropic_messages",
            Optional.of("claude-x"),
            true,
            Body.of("{}"),
            List.of(new ToolResult("call-1", "done", false)));

    /// One of each kind, as the reference page shows them.
    private static final List<SecurityEvent> EXAMPLES = List.of(
            HTTP,
            new HttpResponse(
                    ENVELOPE,
                    HTTP,
                    200,
                    Headers.of("server", "x"),
                    new Body.TooLarge(OptionalLong.of(20_000_000), Optional.of("video/mp4"))),
            new DnsRequest(ENVELOPE, "api.example.com", "AAAA", "udp"),
            MCP,
            new McpResponse(ENVELOPE, MCP, false, JsonDocument.parse("[{\"type\": \"text\", \"text\": \"found\"}]")),
            MODEL,
            new ModelResponse(
                    ENVELOPE,
                    MODEL,
                    Optional.of("claude-x-1"),
                    Optional.of("tool_use"),
                    Body.of("let me see"),
                    List.of(new ToolCall("call-2", "github__search", "mcp_proxy", JsonDocument.parse("{\"q\": 1}"))),
                    OptionalLong.of(10),
                    OptionalLong.of(20)),
            new ProcessExec(
                    ENVELOPE, "curl -s https://a.b", List.of("curl", "-s", "https://a.b"), Optional.of("/root")),
            new FileActivity(ENVELOPE, "modify", "/root/a.txt", OptionalLong.of(12)),
            new HostActivity(ENVELOPE, EventType.SNAPSHOT_CREATE, "create", Optional.of("snap-1")));

    @Test
    void readsWhatItWrites() {
        for (SecurityEvent event : EXAMPLES) {
            String json = SecurityEventJson.write(event);

            assertThat(SecurityEventJson.read(json)).isEqualTo(new SecurityEventJson.Read.Event(event));
        }
    }

    @Test
    void readsEveryStateOfABody() {
        for (Body body : List.of(
                Body.NONE,
                Body.of("x"),
                new Body.Text("x\ufffd", true, 2, Optional.empty()),
                new Body.TooLarge(OptionalLong.empty(), Optional.empty()),
                new Body.Unread(Optional.of("a/b")),
                new Body.Redacted(OptionalLong.of(3), Optional.empty()))) {
            SecurityEvent event = HTTP.withBody(body);

            assertThat(SecurityEventJson.read(SecurityEventJson.write(event)))
                    .isEqualTo(new SecurityEventJson.Read.Event(event));
        }
    }

    @Test
    void fillsInWhatPeopleLeaveOut() {
        assertThat(SecurityEventJson.read("""
                {"event_type": "http.request", "unknown": 1,
                 "http": {"request": {"host": "A.b.", "headers": {"X-Y": "z"}, "body": "text", "later": true}}}
                """)).isInstanceOfSatisfying(SecurityEventJson.Read.Event.class, read -> {
            HttpRequest request = (HttpRequest) read.event();
            assertThat(request.method()).isEqualTo("GET");
            assertThat(request.url()).isEqualTo("https://a.b/");
            assertThat(request.headers().value("x-y")).contains("z");
            assertThat(request.body()).isEqualTo(Body.of("text"));
            assertThat(request.envelope().attribution().originKind()).isEqualTo(OriginKind.TEST_FIXTURE);
        });
    }

    @Test
    void refusesWhatIsNoEvent() {
        for (String json : List.of(
                "",
                "{",
                "[]",
                "{}",
                "{\"event_type\": \"nope\"}",
                "{\"event_type\": \"http.request\"}",
                "{\"schema_version\": 2, \"event_type\": \"http.request\", \"http\": {\"request\": {\"host\": \"a\"}}}",
                "{\"event_type\": \"http.request\", \"http\": {\"request\": {\"host\": 3}}}",
                "{\"event_type\": \"http.request\", \"http\": {\"request\": {\"host\": \"a b\"}}}",
                "{\"event_type\": \"http.request\", \"http\": {\"request\": {\"host\": \"a\", \"path\": \"x\"}}}",
                "{\"event_type\": \"http.request\", \"http\": {\"request\": {\"host\": \"a\", \"port\": 4294967739}}}",
                "{\"event_type\": \"http.request\", \"http\": {\"request\": {\"host\": \"a\", \"body\": {\"state\": \"x\"}}}}",
                "{\"event_type\": \"dns.request\", \"dns\": {\"request\": {\"qname\": \"a\", \"transport\": \"pigeon\"}}}",
                "{\"event_type\": \"process.audit\"}",
                "{\"event_type\": \"dns.request\", \"common\": {\"timestamp\": \"x\"}, \"dns\": {\"request\": {\"qname\": \"a\"}}}")) {
            assertThat(SecurityEventJson.read(json)).as(json).isInstanceOf(SecurityEventJson.Read.Malformed.class);
        }
    }

    @Test
    void isWhatTheReferencePageShows() throws IOException {
        String page = Files.readString(REFERENCE);
        List<String> shown = new ArrayList<>();
        for (String part : page.split("```json\n")) {
            int end = part.indexOf("```");
            if (end > 0 && part.startsWith("{")) {
                shown.add(part.substring(0, end).strip());
            }
        }
        List<String> written = EXAMPLES.stream()
                .map(event -> PRETTY.writeValueAsString(SecurityEventJson.tree(event)))
                .toList();
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(REFERENCE, ReferencePage.with(page, EXAMPLES, written));
            return;
        }

        assertThat(shown)
                .as("run with -Dgolden.update to rewrite %s", REFERENCE)
                .isEqualTo(written);
    }

    /// Puts examples behind the page's marker.
    private static final class ReferencePage {
        private static final String MARKER = "## One of each\n";

        static String with(String page, List<SecurityEvent> events, List<String> written) {
            StringBuilder out = new StringBuilder(page.substring(0, page.indexOf(MARKER) + MARKER.length()));
            for (int i = 0; i < events.size(); i++) {
                out.append("\n### ")
                        .append(events.get(i).type().wireName())
                        .append("\n\n```json\n")
                        .append(written.get(i))
                        .append("\n```\n");
            }
            return out.toString();
        }
    }
}
