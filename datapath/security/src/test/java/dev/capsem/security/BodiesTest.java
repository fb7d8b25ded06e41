package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Finding;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.security.sigma.DetectionSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Whoever needs a body gets it: conditions, rewrites and detections.
class BodiesTest {
    private static final Body UNREAD = new Body.Unread(Optional.empty());

    private static String rewrite(String side) {
        return Events.only("http", "http." + side, "http.request.host == \"a.b\"", "rewrite", """
                        rewrite_target = 'http.%s.body.text =~ "key-[0-9]+"'
                        rewrite_value = "key-***"
                        """.formatted(side));
    }

    private static final String SIGMA = """
            title: Private key in an upload
            level: high
            logsource: { product: capsem, category: http }
            detection:
              upload: { http.%s.body.text|contains: PRIVATE }
              condition: upload
            """;

    @Test
    void waitsForTheBodyThatARewriteChanges() {
        SecurityEngine engine = Events.engine(rewrite("request"));

        assertThat(engine.needsBody(Events.http("POST", "a.b", "/", UNREAD))).isTrue();
        assertThat(engine.needsBody(Events.http("POST", "other.b", "/", UNREAD)))
                .isFalse();
        Evaluation evaluation = engine.evaluate(Events.http("POST", "a.b", "/", Body.of("use key-123")));
        assertThat(evaluation.outcome())
                .isInstanceOfSatisfying(
                        Evaluation.Rewritten.class,
                        rewritten -> assertThat(((HttpRequest) rewritten.event()).body())
                                .isInstanceOfSatisfying(
                                        Body.Text.class,
                                        text -> assertThat(text.text()).isEqualTo("use key-***")));
    }

    @Test
    void waitsForTheBodyOfAnAnswerThatARewriteChanges() {
        SecurityEngine engine = Events.engine(rewrite("response"));
        HttpRequest request = Events.http("GET", "a.b", "/");

        assertThat(engine.needsBody(Events.response(request, 200, UNREAD))).isTrue();
        assertThat(engine.needsBody(Events.response(Events.http("GET", "c.d", "/"), 200, UNREAD)))
                .isFalse();
        assertThat(engine.evaluate(Events.response(request, 200, Body.of("key-1")))
                        .decision())
                .isEqualTo(Decision.REWRITE);
    }

    @Test
    void detectionsGetTheBodyOfARequest() {
        SecurityEngine engine = new SecurityEngine(snapshot("request"));
        SecurityEvent secret = Events.http("POST", "a.b", "/", Body.of("BEGIN PRIVATE KEY"));

        assertThat(engine.needsBody(Events.http("POST", "a.b", "/", UNREAD))).isTrue();
        assertThat(engine.evaluate(secret).findings())
                .extracting(Finding::ruleId)
                .containsExactly("private_key_in_an_upload");
        assertThat(engine.detectionStats()).extracting(DetectionStat::matches).containsExactly(1L);
    }

    @Test
    void aDetectionOnTheBodyOfAnAnswerIsWarnedAbout() {
        RuleCompiler.Result result = Events.COMPILER.compile(
                List.of(), List.of(new DetectionSource("d.yml", "p", SIGMA.formatted("response"))));

        assertThat(((RuleCompiler.Result.Compiled) result).warnings())
                .singleElement()
                .satisfies(warning -> assertThat(warning.message())
                        .contains("http.response.body.text", "streams", "decision = \"allow\""));
    }

    @Test
    void findingsCarryTheIdsThatTheirAuthorChose() {
        SecurityEvent secret = Events.http("POST", "a.b", "/", Body.of("BEGIN PRIVATE KEY"));
        DetectionSource one = new DetectionSource("d.yml", Optional.of("my-det-1"), "corp", SIGMA.formatted("request"));
        String other = SIGMA.formatted("request").replace("an upload", "a post");
        DetectionSource two =
                new DetectionSource("d.yml", Optional.of("both"), "corp", SIGMA.formatted("request") + "---\n" + other);

        assertThat(findings(one, secret)).containsExactly("my-det-1 of corp");
        assertThat(findings(two, secret))
                .containsExactly("both:private_key_in_an_upload of corp", "both:private_key_in_a_post of corp");
    }

    private static List<String> findings(DetectionSource source, SecurityEvent event) {
        RuleCompiler.Result result = Events.COMPILER.compile(List.of(), List.of(source));
        return new SecurityEngine(((RuleCompiler.Result.Compiled) result).snapshot())
                .evaluate(event).findings().stream()
                        .map(finding -> finding.ruleId() + " of " + finding.packId())
                        .toList();
    }

    private static RuleSnapshot snapshot(String side) {
        RuleCompiler.Result result =
                Events.COMPILER.compile(List.of(), List.of(new DetectionSource("d.yml", "p", SIGMA.formatted(side))));
        return ((RuleCompiler.Result.Compiled) result).snapshot();
    }
}
