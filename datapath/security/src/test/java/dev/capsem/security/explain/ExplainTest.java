package dev.capsem.security.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.security.Events;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.security.explain.DecisionExplanation.Remedy;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExplainTest {
    private static final String RULES = """
            [security.rules.http.reads]
            on = "http.request"
            if = 'http.request.host == "github.com" && http.request.method == "GET"'
            decision = "allow"
            priority = 10

            [security.rules.http.tagged]
            on = "http.request"
            if = 'http.request.host == "github.com" && http.request.header("x-team") == "a"'
            decision = "allow"
            priority = 20

            [security.rules.http.rest]
            on = "http.request"
            if = "true"
            decision = "block"
            reason = "not on the list"
            priority = 1000
            """;

    @Test
    void saysWhoDecidedWhoAlmostDidAndWhatWouldAllow() {
        DecisionExplanation explanation =
                explain(Events.snapshot(RULES), Events.http("POST", "github.com", "/x", "cookie", "s3cret"));

        assertThat(explanation.lines())
                .containsExactly(
                        "block by security.rules.http.rest (block, priority 1000) at test.toml:13:1: not on the list",
                        "  if true",
                        "almost: security.rules.http.reads (allow, priority 10) at test.toml:1:1",
                        "  but http.request.method == \"GET\" is not true (http.request.method is \"POST\")",
                        "almost: security.rules.http.tagged (allow, priority 20) at test.toml:7:1",
                        "  but http.request.header(\"x-team\") == \"a\" reads a missing value",
                        "to allow it, add:",
                        "  [security.rules.http.allow_github_com]",
                        "  on = \"http.request\"",
                        "  if = 'http.request.host == \"github.com\" && http.request.method == \"POST\" && http.request.path"
                                + " == \"/x\"'",
                        "  decision = \"allow\"",
                        "  priority = 999");
        assertThat(explanation.lines()).noneMatch(line -> line.contains("s3cret"));
    }

    @Test
    void suggestsRulesThatReallyAllow() {
        for (SecurityEvent event : List.of(
                Events.http("DELETE", "a.b", "/"),
                Events.response(Events.http("GET", "a.b", "/"), 200, Body.NONE),
                Events.dns("weird \"'\\ name"),
                Events.mcp("github", "it's", "{}"),
                Events.mcpResponse(Events.mcp("g", "t", ""), true, "{}"),
                Events.model("openai", "gpt"),
                Events.exec("sh -c 'echo \"a\"\n'"))) {
            DecisionExplanation explanation = explain(Events.snapshot("x = 1"), event);

            assertThat(explanation.remedy()).as(event.type().wireName()).containsInstanceOf(Remedy.AddRule.class);
            String toml = ((Remedy.AddRule) explanation.remedy().orElseThrow()).toml();
            assertThat(Events.engine(toml).evaluate(event).decision()).isEqualTo(Decision.ALLOW);
        }
    }

    @Test
    void aRuleAboutHostsIsAnsweredForTheHostAndNotForOneMethodOfIt() {
        RuleSnapshot snapshot = Events.snapshot(RULES);

        String toml = added(explain(snapshot, Events.http("GET", "new.example", "/a")));

        assertThat(toml).contains("if = 'http.request.host == \"new.example\"'\n");
        assertThat(with(snapshot, toml)
                        .evaluate(Events.http("POST", "new.example", "/b"))
                        .decision())
                .isEqualTo(Decision.ALLOW);
    }

    @Test
    void aRuleAboutPathsIsAnsweredForThePath() {
        RuleSnapshot snapshot = Events.snapshot("""
                [security.rules.http.push]
                on = "http.request"
                if = 'http.request.path.endsWith("/git-receive-pack")'
                decision = "ask"
                """ + RULES);
        SecurityEvent push = Events.http("POST", "github.com", "/o/r.git/git-receive-pack");

        String toml = added(explain(snapshot, push));

        SecurityEngine engine = with(snapshot, toml);
        assertThat(engine.evaluate(push).decision()).isEqualTo(Decision.ALLOW);
        assertThat(engine.evaluate(Events.http("POST", "github.com", "/o/other.git/git-receive-pack"))
                        .decision())
                .isEqualTo(Decision.ASK);
    }

    @Test
    void aPathWithAMaskedSecretIsAllowedUpToIt() {
        RuleSnapshot snapshot = Events.snapshot(RULES);

        String toml = added(explain(snapshot, Events.http("POST", "github.com", "/hooks/***/run")));

        SecurityEngine engine = with(snapshot, toml);
        assertThat(engine.evaluate(Events.http("POST", "github.com", "/hooks/s3cret/run"))
                        .decision())
                .isEqualTo(Decision.ALLOW);
        assertThat(engine.evaluate(Events.http("POST", "github.com", "/other")).decision())
                .isEqualTo(Decision.BLOCK);
    }

    @Test
    void theSuggestedRuleHoldsForTheNameAndForWhereItLeads() {
        RuleSnapshot snapshot = Events.snapshot("""
                [security.rules.http.private_names]
                on = "http.request"
                if = 'http.request.host.matches(r"^[^.:]+$")'
                decision = "block"
                priority = 11
                """ + RULES);
        HttpRequest blocked = inside("vm", 8099, "127.0.0.1");

        String toml = added(explain(snapshot, blocked));

        SecurityEngine engine = with(snapshot, toml);
        assertThat(engine.evaluate(blocked.withoutAddress()).decision()).isEqualTo(Decision.ALLOW);
        assertThat(engine.evaluate(blocked).decision()).isEqualTo(Decision.ALLOW);
        assertThat(engine.evaluate(inside("vm", 22, "127.0.0.1")).decision()).isEqualTo(Decision.BLOCK);
        assertThat(engine.evaluate(inside("vm", 8099, "169.254.169.254")).decision())
                .isEqualTo(Decision.BLOCK);
        assertThat(warnings(toml)).isEmpty();
    }

    @Test
    void aFurtherRuleForAHostGetsANameOfItsOwn() {
        String rules = RULES;
        for (String path : List.of("/a", "/b", "/c", "/d")) {
            rules += "\n" + added(explain(Events.snapshot(rules), Events.http("POST", "github.com", path)));
        }

        assertThat(rules)
                .contains("[security.rules.http.allow_github_com]", "[security.rules.http.allow_github_com_4]");
    }

    private static HttpRequest inside(String host, int port, String address) {
        return new HttpRequest(
                Events.ENVELOPE,
                "POST",
                "http",
                host,
                port,
                "/v1/messages",
                Optional.empty(),
                Headers.of(),
                Body.NONE,
                Optional.of(InetAddress.ofLiteral(address)));
    }

    private static String added(DecisionExplanation explanation) {
        return ((Remedy.AddRule) explanation.remedy().orElseThrow()).toml();
    }

    private static SecurityEngine with(RuleSnapshot snapshot, String toml) {
        return new SecurityEngine(snapshot.with(Events.snapshot(toml).rules().getFirst()));
    }

    @Test
    void getsInFrontOfARuleOfTheFirstPriority() {
        DecisionExplanation explanation = explain(
                Events.snapshot(Events.only("http", "http.request", "true", "block", "")),
                Events.http("GET", "a.b", "/"));

        assertThat(explanation.remedy()).containsInstanceOf(Remedy.AddRule.class);
    }

    @Test
    void saysWhenOnlyTheCompanyCanAllow() {
        RuleSnapshot snapshot = Events.snapshot(Layer.CORP, """
                [security.rules.http.no]
                on = "http.request"
                if = 'http.request.host == "a.b"'
                decision = "block"
                priority = -5
                """);

        assertThat(explain(snapshot, Events.http("GET", "a.b", "/")).remedy())
                .contains(new Remedy.NotYours("security.rules.http.no outranks every user rule"));
    }

    @Test
    void runsExpectations() {
        List<RuleTests.Outcome> outcomes = RuleTests.run(Events.snapshot(RULES + """
                [[security.expect]]
                name = "reading is fine"
                on = "http.request"
                given.http.request.host = "github.com"
                decision = "allow"
                rule = "security.rules.http.reads"

                [[security.expect]]
                name = "writing is fine"
                on = "http.request"
                given.http.request = { host = "github.com", method = "POST", headers = { cookie = "x" } }
                decision = "allow"
                """));

        assertThat(outcomes)
                .extracting(RuleTests.Outcome::toString)
                .containsExactly(
                        "test.toml:19:1: ok: reading is fine",
                        "test.toml:26:1: FAILED: writing is fine: expected allow, got block by security.rules.http.rest");
    }

    @Test
    void backtestsRecordedEvents() {
        SecurityEvent get = Events.http("GET", "github.com", "/");
        SecurityEvent post = Events.http("POST", "github.com", "/");

        Backtest.Report report = Backtest.run(
                Events.snapshot(RULES),
                List.of(
                        new Backtest.Recorded(get, Optional.of(Decision.ALLOW)),
                        new Backtest.Recorded(get, Optional.of(Decision.ALLOW)),
                        new Backtest.Recorded(post, Optional.of(Decision.ALLOW)),
                        new Backtest.Recorded(post, Optional.empty())),
                2);

        assertThat(report.total()).isEqualTo(4);
        assertThat(report.unique()).isEqualTo(3);
        assertThat(report.changed()).isEqualTo(1);
        assertThat(report.isTruncated()).isTrue();
        assertThat(report.rows().get(0).event()).isEqualTo(post);
        assertThat(report.rows().get(1).occurrences()).isEqualTo(2);
    }

    @Test
    void lintFindsRulesThatDoNotDoWhatTheySeemTo() {
        assertThat(warnings("""
                [security.rules.http.a_wild]
                on = "http.request"
                if = 'http.request.host == "*.wikipedia.org"'
                decision = "allow"
                [security.rules.http.b_both]
                on = "http.request"
                if = 'http.request.host == "a" && http.request.host == "b"'
                decision = "allow"
                [security.rules.http.c_wide]
                on = "http.request"
                if = 'http.request.host == "c.d"'
                decision = "block"
                [security.rules.http.d_narrow]
                on = "http.request"
                if = 'http.request.method == "GET" && http.request.host == "c.d"'
                decision = "allow"
                [security.rules.http.e_escape]
                on = "http.request"
                if = 'http.request.header("x-team") != "ours"'
                decision = "block"
                [security.rules.http.f_fine]
                on = "http.request"
                if = '!http.request.header("x-team").exists() || http.request.header("x-team") != "ours"'
                decision = "block"
                """))
                .containsExactly(
                        "test.toml:1:1: warning: security.rules.http.a_wild can never match: http.request.host has no"
                                + " wildcards; use endsWith(\".wikipedia.org\").",
                        "test.toml:5:1: warning: security.rules.http.b_both can never match: http.request.host cannot be"
                                + " two things at once.",
                        "test.toml:13:1: warning: security.rules.http.d_narrow never decides:"
                                + " security.rules.http.c_wide matches everything it does, and is asked first.",
                        "test.toml:17:1: warning: security.rules.http.e_escape can be escaped by leaving out"
                                + " http.request.header(\"x-team\"); to include that case write"
                                + " !http.request.header(\"x-team\").exists() || (...).");
    }

    @Test
    void lintNamesAListOfProgramsThatALineForTheShellPasses() {
        String rule = """
                [security.rules.process.list]
                on = "process.exec"
                if = 'process.exec.executable in ["echo", "ls"]%s'
                decision = "%s"
                """;

        assertThat(warnings(rule.formatted("", "allow")))
                .singleElement()
                .asString()
                .contains("also allows lines for a shell", "&& size(process.exec.argv) > 0");
        assertThat(warnings(rule.formatted(" && size(process.exec.argv) > 0", "allow")))
                .isEmpty();
        assertThat(warnings(rule.formatted("", "block"))).isEmpty();
        SecurityEvent line = Events.exec("echo hi; curl https://evil.example");
        assertThat(Events.engine(rule.formatted("", "allow")).evaluate(line).decision())
                .isEqualTo(Decision.ALLOW);
        assertThat(Events.engine(rule.formatted(" && size(process.exec.argv) > 0", "allow"))
                        .evaluate(line)
                        .decision())
                .isEqualTo(Decision.BLOCK);
    }

    @Test
    void tellsWhenTheBodyMatters() {
        SecurityEngine engine = Events.engine("""
                [security.rules.http.a]
                on = "http.response"
                if = 'http.request.host == "a.b" && http.response.body.text.contains("x")'
                decision = "block"
                [security.rules.http.b]
                on = "http.response"
                if = "true"
                decision = "allow"
                priority = 1000
                """);
        Body unread = new Body.Unread(Optional.empty());

        assertThat(engine.needsBody(Events.response(Events.http("GET", "a.b", "/"), 200, unread)))
                .isTrue();
        assertThat(engine.needsBody(Events.response(Events.http("GET", "c.d", "/"), 200, unread)))
                .isFalse();
        assertThat(engine.evaluate(Events.response(Events.http("GET", "c.d", "/"), 200, unread))
                        .decision())
                .isEqualTo(Decision.ALLOW);
    }

    private static DecisionExplanation explain(RuleSnapshot snapshot, SecurityEvent event) {
        return new Explainer(Events.COMPILER).explain(snapshot, event);
    }

    private static List<String> warnings(String toml) {
        RuleCompiler.Result result = Events.COMPILER.compile(List.of(new SourceText("test.toml", Layer.USER, toml)));
        return ((RuleCompiler.Result.Compiled) result)
                .warnings().stream().map(Problem::toString).toList();
    }
}
