package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.sigma.DetectionSource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/// What is decided where two parts of the engine meet: a rewrite and the rules before it, an answer and its request's
/// body, a new set of rules and the counts of the old one.
class EngineEdgesTest {
    private static final Body UNREAD = new Body.Unread(Optional.empty());
    private static final Body TOO_LARGE = new Body.TooLarge(OptionalLong.of(1L << 30), Optional.empty());

    /// A rewrite at priority 20 that takes the header away, and a rule before it.
    private static SecurityEngine before(String condition, String decision) {
        return Events.engine("""
                [security.rules.http.first]
                on = "http.request"
                if = '''%s'''
                decision = "%s"
                priority = 10
                [security.rules.http.strip]
                on = "http.request"
                if = '''http.request.host == "a.b"'''
                decision = "rewrite"
                priority = 20
                strip_request_headers = ["authorization"]
                [security.rules.http.rest]
                on = "http.request"
                if = "true"
                decision = "allow"
                priority = 1000
                """.formatted(condition, decision));
    }

    private static Evaluation withHeader(SecurityEngine engine, Body body) {
        return engine.evaluate(Events.http("POST", "a.b", "/", body, "authorization", "x"));
    }

    @Test
    void aRewriteDoesNotLeadPastARuleThatMustReadTheBody() {
        // With the header the rule is false whatever the body says; without it the body decides.
        SecurityEngine engine =
                before("!has(http.request.headers.authorization) && http.request.body.text.contains(\"key\")", "block");

        Evaluation evaluation = withHeader(engine, UNREAD);

        assertThat(evaluation.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.BODY_UNREAD));
        assertThat(withHeader(engine, Body.of("none")).decision()).isEqualTo(Decision.REWRITE);
        assertThat(withHeader(engine, Body.of("a key")).outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.RULE));
    }

    /// Without the header the rule would look at every letter of a long path, for which it has no budget.
    @Test
    void aRewriteDoesNotLeadPastARuleThatFails() {
        RuleSnapshot rules = before(
                        "!has(http.request.headers.authorization) && http.request.path.contains(\"xyz\")", "ask")
                .snapshot()
                .orElseThrow();
        SecurityEngine engine = new SecurityEngine(rules, new SecurityEngine.Limits(5_000, 1_000_000));

        Evaluation evaluation =
                engine.evaluate(Events.http("POST", "a.b", "/" + "a".repeat(100_000), "authorization", "x"));

        assertThat(evaluation.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.RULE_TOO_COSTLY));
    }

    @Test
    void aRewriteDoesNotLeadPastARuleThatCounts() {
        SecurityEngine engine =
                before("!has(http.request.headers.authorization) && rate(http.request.host, \"1m\") > 1", "block");

        assertThat(withHeader(engine, Body.NONE).decision()).isEqualTo(Decision.REWRITE);
        SecurityEvent second = new SecurityEvent.HttpRequest(
                envelope("ev-2"),
                "POST",
                "https",
                "a.b",
                443,
                "/",
                Optional.empty(),
                Headers.of("authorization", "x"),
                Body.NONE);
        assertThat(engine.evaluate(second).decision()).isEqualTo(Decision.BLOCK);
    }

    @Test
    void anAnswerIsTooLargeWhenItsRequestWas() {
        SecurityEngine engine = Events.engine(
                Events.only("http", "http.response", "http.request.body.text.contains(\"key\")", "block", ""));

        assertThat(blockedFor(engine, Events.response(Events.http("POST", "a.b", "/", TOO_LARGE), 200, Body.of("x"))))
                .isEqualTo(BlockCause.BODY_TOO_LARGE);
        assertThat(blockedFor(engine, Events.response(Events.http("POST", "a.b", "/", UNREAD), 200, Body.of("x"))))
                .isEqualTo(BlockCause.BODY_UNREAD);
    }

    @Test
    void anAnswerThatIsTooLargeItselfIsCalledThat() {
        SecurityEngine engine = Events.engine(
                Events.only("http", "http.response", "http.response.body.text.contains(\"key\")", "block", ""));
        var request = Events.http("POST", "a.b", "/", Body.of("small"));

        assertThat(blockedFor(engine, Events.response(request, 200, TOO_LARGE))).isEqualTo(BlockCause.BODY_TOO_LARGE);
        assertThat(blockedFor(engine, Events.response(request, 200, UNREAD))).isEqualTo(BlockCause.BODY_UNREAD);
    }

    private static BlockCause blockedFor(SecurityEngine engine, SecurityEvent event) {
        return ((Evaluation.Blocked) engine.evaluate(event).outcome()).cause();
    }

    @Test
    void nobodyWatchesATypeWhoseRulesAllAllow() {
        SecurityEngine engine =
                Events.engine(Events.only("dns", "dns.request", "dns.request.qname == \"a.b\"", "allow", "")
                        + Events.only("http", "http.request", "http.request.host == \"a.b\"", "block", ""));

        assertThat(engine.isWatched(EventType.DNS_REQUEST)).isFalse();
        assertThat(engine.isWatched(EventType.HTTP_REQUEST)).isTrue();
    }

    @Test
    void aDetectionThatReadsNoBodyWaitsForNone() {
        SecurityEngine engine = new SecurityEngine(detecting("http.request.host: a.b"));
        SecurityEngine reader = new SecurityEngine(detecting("http.request.body.text: a.b"));

        assertThat(engine.needsBody(Events.http("POST", "a.b", "/", UNREAD))).isFalse();
        assertThat(reader.needsBody(Events.http("POST", "a.b", "/", UNREAD))).isTrue();
    }

    private static RuleSnapshot detecting(String selection) {
        String sigma = """
                title: Seen
                level: high
                logsource: { product: capsem, category: http }
                detection:
                  it: { %s }
                  condition: it
                """.formatted(selection);
        return ((RuleCompiler.Result.Compiled)
                        Events.COMPILER.compile(List.of(), List.of(new DetectionSource("d.yml", "p", sigma))))
                .snapshot();
    }

    /// A path with another reading that no rule wants the body for.
    @Test
    void anotherReadingOfThePathAsksForTheBodyOnlyIfItsRuleDoes() {
        String reads = "http.request.path.startsWith(\"/secret\") && http.request.body.text.contains(\"key\")";
        SecurityEngine engine = Events.engine(Events.only("http", "http.request", reads, "block", ""));

        assertThat(engine.needsBody(Events.http("POST", "a.b", "/a%2fb", UNREAD)))
                .isFalse();
        assertThat(engine.needsBody(Events.http("POST", "a.b", "/x/%2e%2e/secret", UNREAD)))
                .isTrue();
    }

    @Test
    void countsThatNoRuleAsksForAreForgotten() {
        String counting = Events.only("dns", "dns.request", "rate(dns.request.qname, \"1h\") > 1", "block", "");
        SecurityEngine engine = Events.engine(counting);
        assertThat(engine.evaluate(dns("ev-1")).decision()).isEqualTo(Decision.ALLOW);

        engine.replace(Events.snapshot(Events.only("dns", "dns.request", "false", "block", "")));
        engine.replace(Events.snapshot(counting));

        assertThat(engine.evaluate(dns("ev-2")).decision())
                .as("the first of the new set")
                .isEqualTo(Decision.ALLOW);
        assertThat(engine.evaluate(dns("ev-3")).decision()).isEqualTo(Decision.BLOCK);
    }

    private static DnsRequest dns(String id) {
        return new DnsRequest(envelope(id), "a.b", "A", "udp");
    }

    private static Envelope envelope(String id) {
        return Envelope.inline(new EventId(id), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE);
    }
}
