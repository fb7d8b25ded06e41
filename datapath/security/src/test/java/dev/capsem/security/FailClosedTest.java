package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// Whatever goes wrong in the engine, nothing is allowed by it.
class FailClosedTest {
    @Test
    void blocksEverythingWithoutASnapshot() {
        assertBlocked(new SecurityEngine().evaluate(Events.http("GET", "a.b", "/")), BlockCause.NO_RULES);
    }

    @Test
    void blocksWhatNoRuleMatches() {
        SecurityEngine engine = Events.engine("""
                [security.rules.http.a]
                on = "http.request"
                if = 'http.request.host == "a.b"'
                decision = "allow"
                """);

        assertBlocked(engine.evaluate(Events.http("GET", "c.d", "/")), BlockCause.NO_RULE_MATCHED);
        assertBlocked(engine.evaluate(Events.dns("a.b")), BlockCause.NO_RULE_MATCHED);
        assertThat(engine.evaluate(Events.http("GET", "a.b", "/")).decision()).isEqualTo(Decision.ALLOW);
    }

    @Test
    void blocksIfARuleFails() {
        assertBlocked(allowed("http.request.port / (http.request.port - 443) == 1"), BlockCause.RULE_FAILED);
        assertBlocked(allowed("http.request.port * 9223372036854775807 > 1"), BlockCause.RULE_FAILED);
        assertBlocked(allowed("int(http.request.host) == 1"), BlockCause.RULE_FAILED);
    }

    @Test
    void blocksIfTheBudgetIsExceeded() {
        RuleSnapshot snapshot = Events.snapshot(
                Events.only("http", "http.request", "http.request.body.text.matches(\"a+b\")", "block", ""));
        HttpRequest request = Events.http("POST", "a.b", "/", Body.of("a".repeat(10_000)));

        assertBlocked(
                new SecurityEngine(snapshot, new SecurityEngine.Limits(5_000, 1_000_000)).evaluate(request),
                BlockCause.RULE_TOO_COSTLY);
        assertThat(new SecurityEngine(snapshot).evaluate(request).decision()).isEqualTo(Decision.ALLOW);
    }

    @Test
    void blocksIfRulesTogetherNeedMoreThanOneEventIsWorth() {
        StringBuilder toml = new StringBuilder(Events.only("http", "http.request", "false", "block", ""));
        for (int i = 0; i < 10; i++) {
            toml.append("""
                    [security.rules.http.reads_%d]
                    on = "http.request"
                    if = 'http.request.body.text.matches("a+b%d")'
                    decision = "block"
                    """.formatted(i, i));
        }
        RuleSnapshot snapshot = Events.snapshot(toml.toString());
        HttpRequest request = Events.http("POST", "a.b", "/", Body.of("a".repeat(1_000)));

        assertThat(new SecurityEngine(snapshot, new SecurityEngine.Limits(2_000, 20_000))
                        .evaluate(request)
                        .decision())
                .isEqualTo(Decision.ALLOW);
        assertBlocked(
                new SecurityEngine(snapshot, new SecurityEngine.Limits(2_000, 9_000)).evaluate(request),
                BlockCause.RULE_TOO_COSTLY);
    }

    @Test
    void blocksIfLoopsRunAway() {
        String nested = "http.request.headers.exists(a, http.request.headers.exists(b, http.request.headers.exists(c,"
                + " http.request.headers.exists(d, a == b && b == c && c == d && d == \"never\"))))";
        String[] headers = new String[400];
        for (int i = 0; i < headers.length; i += 2) {
            headers[i] = "h" + i;
            headers[i + 1] = "v";
        }

        RuleSnapshot snapshot = Events.snapshot(Events.only("http", "http.request", nested, "block", ""));
        Evaluation evaluation = new SecurityEngine(snapshot, new SecurityEngine.Limits(100_000, 1_000_000))
                .evaluate(Events.http("GET", "a.b", "/", headers));

        assertBlocked(evaluation, BlockCause.RULE_TOO_COSTLY);
    }

    @Test
    void blocksABodyTooLargeForABodyRule() {
        SecurityEngine engine = Events.engine(
                Events.only("http", "http.request", "http.request.body.text.contains(\"secret\")", "block", ""));
        Body large = new Body.TooLarge(OptionalLong.of(20_000_000), Optional.empty());

        assertBlocked(engine.evaluate(Events.http("POST", "a.b", "/", large)), BlockCause.BODY_TOO_LARGE);
    }

    @Test
    void letsALargeBodyPassWhereNoRuleReadsIt() {
        SecurityEngine engine = Events.engine(Events.only(
                "http",
                "http.request",
                "http.request.host == \"x.y\" && http.request.body.text.contains(\"secret\")",
                "block",
                ""));
        Body large = new Body.TooLarge(OptionalLong.of(20_000_000), Optional.empty());

        assertThat(engine.evaluate(Events.http("POST", "a.b", "/", large)).decision())
                .isEqualTo(Decision.ALLOW);
        assertBlocked(engine.evaluate(Events.http("POST", "x.y", "/", large)), BlockCause.BODY_TOO_LARGE);
    }

    @Test
    void blocksIfAskedBeforeTheBodyThatDecidesWasRead() {
        SecurityEngine engine = Events.engine(
                Events.only("http", "http.request", "!http.request.body.text.contains(\"ok\")", "block", ""));
        HttpRequest unread = Events.http("POST", "a.b", "/", new Body.Unread(Optional.empty()));

        assertThat(engine.needsBody(unread)).isTrue();
        assertBlocked(engine.evaluate(unread), BlockCause.BODY_UNREAD);
    }

    @Test
    void blocksARewriteThatDoesNotFit() {
        String target = "rewrite_target = 'http.request.path =~ \"^/v1/\"'\nrewrite_value = \"/v2/\"";
        SecurityEngine engine = Events.engine(Events.only("http", "http.request", "true", "rewrite", target));

        assertBlocked(engine.evaluate(Events.http("GET", "a.b", "/other")), BlockCause.REWRITE_FAILED);
        assertThat(engine.evaluate(Events.http("GET", "a.b", "/v1/x")).decision())
                .isEqualTo(Decision.REWRITE);
    }

    @Test
    void blocksARewriteWhoseResultIsNotValid() {
        String target = "rewrite_target = 'http.request.path =~ \"^/v1/\"'\nrewrite_value = \"no slash\"";
        SecurityEngine engine = Events.engine(Events.only("http", "http.request", "true", "rewrite", target));

        assertBlocked(engine.evaluate(Events.http("GET", "a.b", "/v1/x")), BlockCause.REWRITE_FAILED);
    }

    @Test
    void doesNotLetARewriteCarryAnEventPastAnEarlierBlock() {
        SecurityEngine engine = Events.engine("""
                [security.rules.http.a_block]
                on = "http.request"
                if = 'http.request.path.startsWith("/admin")'
                decision = "block"
                priority = 1
                [security.rules.http.b_rewrite]
                on = "http.request"
                if = 'http.request.path.startsWith("/x")'
                decision = "rewrite"
                priority = 2
                rewrite_target = 'http.request.path =~ "^/x"'
                rewrite_value = "/admin"
                """);

        assertBlocked(engine.evaluate(Events.http("GET", "a.b", "/x/users")), BlockCause.RULE);
    }

    @Test
    void saysAskAndNeverAllowForAsk() {
        Evaluation evaluation = Events.engine(Events.only("http", "http.request", "true", "ask", ""))
                .evaluate(Events.http("GET", "a.b", "/"));

        assertThat(evaluation.outcome()).isInstanceOf(Evaluation.Asked.class);
    }

    @Test
    void blocksIfTheEngineItselfStumbles() {
        SecurityEngine engine =
                Events.engine(Events.only("http", "http.request", "http.request.path == \"/x\"", "block", ""));
        HttpRequest sound = Events.http("GET", "a.b", "/");
        // An envelope that breaks its promise stands for any bug of ours.
        @SuppressWarnings("NullAway")
        HttpRequest broken = new HttpRequest(
                new Envelope(null, null, null, null, null, null),
                sound.method(),
                sound.scheme(),
                sound.host(),
                sound.port(),
                sound.path(),
                sound.query(),
                Headers.NONE,
                Body.NONE);
        SecurityEngine onIdentity =
                Events.engine(Events.only("http", "http.request", "common.session_id == \"s\"", "block", ""));

        assertBlocked(onIdentity.evaluate(broken), BlockCause.ENGINE_FAILURE);
        assertThat(engine.evaluate(broken).decision()).isEqualTo(Decision.ALLOW);
    }

    @Test
    void keepsTheOldRulesWhenNewOnesAreBad() {
        SecurityEngine engine = Events.engine(Events.only("http", "http.request", "true", "block", ""));

        RuleCompiler.Result result = Events.COMPILER.compile(
                List.of(new SourceText("new.toml", Layer.USER, "[security.rules.http.x]\non = 3")));
        if (result instanceof RuleCompiler.Result.Compiled compiled) {
            engine.replace(compiled.snapshot());
        }

        assertThat(result).isInstanceOf(RuleCompiler.Result.Rejected.class);
        assertBlocked(engine.evaluate(Events.http("GET", "a.b", "/")), BlockCause.RULE);
    }

    @Test
    void neverMixesTwoSetsWhileReloading() throws InterruptedException {
        RuleSnapshot one = Events.snapshot(pair("a.b", "c.d"));
        RuleSnapshot two = Events.snapshot(pair("c.d", "a.b"));
        SecurityEngine engine = new SecurityEngine(one);
        AtomicBoolean mixed = new AtomicBoolean();
        Thread asker = Thread.startVirtualThread(() -> {
            for (int i = 0; i < 3_000; i++) {
                Evaluation evaluation = engine.evaluate(Events.http("GET", "a.b", "/"));
                mixed.compareAndSet(false, evaluation.rule().isEmpty());
            }
        });
        for (int i = 0; i < 500 && asker.isAlive(); i++) {
            engine.replace(i % 2 == 0 ? two : one);
            Thread.onSpinWait();
        }
        asker.join();

        assertThat(mixed).isFalse();
    }

    private static String pair(String allowed, String blocked) {
        return """
                [security.rules.http.yes]
                on = "http.request"
                if = 'http.request.host == "%s"'
                decision = "allow"
                [security.rules.http.no]
                on = "http.request"
                if = 'http.request.host == "%s"'
                decision = "block"
                """.formatted(allowed, blocked);
    }

    private static Evaluation allowed(String condition) {
        return Events.engine(Events.only("http", "http.request", condition, "allow", ""))
                .evaluate(Events.http("GET", "a.b", "/"));
    }

    private static void assertBlocked(Evaluation evaluation, BlockCause cause) {
        assertThat(evaluation.outcome()).isEqualTo(new Evaluation.Blocked(cause));
    }
}
