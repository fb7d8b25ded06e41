package dev.capsem.process.approve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.ClaimedCaller;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.wire.ipc.ProcessMessage.Detail;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ApprovalSubjectTest {
    private static SecurityEvent.HttpRequest request(String process) {
        IdSource ids = new IdSource(() -> Instant.EPOCH, new Random(1));
        Envelope envelope = Envelope.inline(ids.nextEventId(), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE)
                .withCaller(new ClaimedCaller(Optional.of(process), Optional.empty()));
        return new SecurityEvent.HttpRequest(
                envelope, "GET", "https", "a.example", 443, "/x", Optional.empty(), Headers.NONE, Body.NONE);
    }

    @Test
    void namesTheProcessBehindARequestAndOneOfItsAnswer() {
        SecurityEvent.HttpRequest asked = request("npm");
        SecurityEvent.HttpResponse answer =
                new SecurityEvent.HttpResponse(asked.envelope(), asked, 200, Headers.NONE, Body.NONE);

        assertThat(ApprovalSubject.of(asked, Set.of()).processName()).contains("npm");
        assertThat(ApprovalSubject.of(answer, Set.of()).processName()).contains("npm");
    }

    /// The guest chooses the name: whatever it calls itself, the question is the same.
    @Test
    void theProcessIsNoPartOfTheKey() {
        assertThat(ApprovalSubject.of(request("npm"), Set.of()).key())
                .isEqualTo(ApprovalSubject.of(request("curl"), Set.of()).key());
    }

    @Test
    void aRuleAboutHostsIsAnsweredForTheHostAndSaysSo() {
        Set<String> reads = Set.of("http.request.host", "http.request.port", "caller.name", "now.hour");
        SecurityEvent.HttpRequest one = request("curl");

        ApprovalSubject subject = ApprovalSubject.of(one, reads);

        assertThat(subject.key())
                .isEqualTo(ApprovalSubject.of(one.withPath("/other"), reads).key());
        assertThat(subject.session())
                .isEqualTo("every GET https://a.example, whatever its path, query and body, until this sandbox ends");
    }

    @Test
    void anyOtherRuleIsAnsweredForThePathAlone() {
        for (String field :
                List.of("http.request.path", "http.request.method", "http.request.body.text", "http.request.headers")) {
            Set<String> reads = Set.of("http.request.host", field);
            SecurityEvent.HttpRequest one = request("curl");

            ApprovalSubject subject = ApprovalSubject.of(one, reads);

            assertThat(subject.key())
                    .as(field)
                    .isNotEqualTo(ApprovalSubject.of(one.withPath("/y"), reads).key());
            assertThat(subject.key())
                    .as(field)
                    .isEqualTo(ApprovalSubject.of(one.withPath("/%78"), reads).key());
            assertThat(subject.session())
                    .isEqualTo("every GET https://a.example/x, whatever its query and body, until this sandbox ends");
        }
    }

    @Test
    void showsQueryAndBodyWithoutSecretsAndWithoutControlCharacters() {
        SecurityEvent.HttpRequest one = request("curl")
                .withQuery(Optional.of("q=1&api_key=abc"))
                .withBody(new Body.Text(
                        "{\"note\":\"hi\u001b[2J\",\"password\":\"hunter2\"}" + "x".repeat(5_000),
                        false,
                        5_040,
                        Optional.of("application/json")));

        List<Detail> details = ApprovalSubject.of(one, Set.of()).details();

        assertThat(details).extracting(Detail::name).containsExactly("query", "body");
        assertThat(details.getFirst().text()).isEqualTo("q=1&api_key=***");
        assertThat(details.getLast().text())
                .startsWith("{\"note\":\"hi [2J\",\"password\":\"***\"}xxx")
                .hasSizeLessThan(410)
                .contains("…")
                .endsWith("xxx");
    }

    @Test
    void anAnswerInsideIsBoundToTheAddressThatIsShown() {
        SecurityEvent.HttpRequest here = request("curl").withAddress(InetAddress.ofLiteral("10.0.0.5"));
        SecurityEvent.HttpRequest there = request("curl").withAddress(InetAddress.ofLiteral("10.0.0.6"));
        SecurityEvent.HttpRequest outside = request("curl").withAddress(InetAddress.ofLiteral("93.184.215.14"));

        ApprovalSubject subject = ApprovalSubject.of(here, Set.of());

        assertThat(subject.key())
                .isNotEqualTo(ApprovalSubject.of(there, Set.of()).key())
                .isNotEqualTo(ApprovalSubject.of(outside, Set.of()).key());
        assertThat(ApprovalSubject.of(outside, Set.of()).key())
                .isEqualTo(ApprovalSubject.of(request("curl"), Set.of()).key());
        assertThat(subject.details()).containsExactly(new Detail("leads to", "10.0.0.5 (private)"));
        assertThat(subject.session()).contains(", at 10.0.0.5,");
    }

    @Test
    void showsTheArgumentsOfAToolAndKeepsThemInTheKeyIfTheRuleReadsThem() {
        SecurityEvent.McpRequest push = call("{\"repo\":\"a\",\"token\":\"ghp_0123456789abcdef0123\"}");
        SecurityEvent.McpRequest other = call("{\"repo\":\"b\"}");
        Set<String> names = Set.of("mcp.request.tool_name");
        Set<String> arguments = Set.of("mcp.request.tool_name", "mcp.request.arguments");

        assertThat(ApprovalSubject.of(push, names).details())
                .containsExactly(new Detail("arguments", "{\"repo\":\"a\",\"token\":\"***\"}"));
        assertThat(ApprovalSubject.of(push, names).key())
                .isEqualTo(ApprovalSubject.of(other, names).key());
        assertThat(ApprovalSubject.of(push, names).session())
                .isEqualTo("every call of push of git, whatever its arguments, until this sandbox ends");
        assertThat(ApprovalSubject.of(push, arguments).key())
                .isNotEqualTo(ApprovalSubject.of(other, arguments).key());
        assertThat(ApprovalSubject.of(push, arguments).session()).contains("with these very arguments");
    }

    /// `_meta` goes to the server as well, so whoever is asked sees it, and agrees to no other.
    @Test
    void showsWhatStandsBesideTheArgumentsAndKeepsItInTheKeyWithThem() {
        SecurityEvent.McpRequest leaking = call("{}", "{\"leak\":\"a\"}");
        SecurityEvent.McpRequest other = call("{}", "{\"leak\":\"b\"}");
        Set<String> arguments = Set.of("mcp.request.arguments");

        assertThat(ApprovalSubject.of(leaking, Set.of()).details()).contains(new Detail("_meta", "{\"leak\":\"a\"}"));
        assertThat(ApprovalSubject.of(leaking, arguments).key())
                .isNotEqualTo(ApprovalSubject.of(other, arguments).key());
        assertThat(ApprovalSubject.content(leaking)).isNotEqualTo(ApprovalSubject.content(other));
    }

    private static SecurityEvent.McpRequest call(String arguments) {
        return call(arguments, "");
    }

    private static SecurityEvent.McpRequest call(String arguments, String meta) {
        return new SecurityEvent.McpRequest(
                request("claude").envelope(),
                "tools/call",
                "git",
                Optional.of("push"),
                Optional.of("git__push"),
                JsonDocument.parse(arguments),
                "valid_json",
                JsonDocument.parse(meta));
    }
}
