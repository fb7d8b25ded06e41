package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.vocabulary.StepStatus;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is sent is not changed; so what is decided holds for every way in which a server may understand it.
class PathSpellingsTest {
    private static final String RULES = """
            [security.rules.http.organisation]
            on = "http.request"
            if = 'http.request.host == "github.com" && http.request.path.startsWith("/openai")'
            decision = "block"
            priority = 10

            [security.rules.http.folder]
            on = "http.request"
            if = 'http.request.host == "files.example" && http.request.path.startsWith("/acme/")'
            decision = "allow"
            priority = 20

            [security.rules.http.drafts]
            on = "http.request"
            if = 'http.request.host == "files.example" && http.request.path.startsWith("/drafts/")'
            decision = "ask"
            priority = 20

            [security.rules.http.strip]
            on = "http.request"
            if = 'http.request.host == "old.example" && http.request.path.startsWith("/v1/")'
            decision = "rewrite"
            priority = 20
            strip_request_headers = ["authorization"]

            [security.rules.http.move]
            on = "http.request"
            if = 'http.request.host == "moved.example"'
            decision = "rewrite"
            priority = 20
            rewrite_target = 'http.request.path =~ "^/v1/(?P<rest>.*)$"'
            rewrite_value = "/v2/${rest}"

            [security.rules.http.scripts]
            on = "http.request"
            if = 'http.request.host == "read.example" && http.request.path.startsWith("/in/") && http.request.body.text.contains("x")'
            decision = "block"
            priority = 20

            [security.rules.http.push]
            on = "http.request"
            if = 'http.request.query.contains("git-receive-pack")'
            decision = "block"
            priority = 20

            [security.rules.http.others]
            on = "http.request"
            if = 'http.request.host != "files.example"'
            decision = "allow"
            priority = 100

            [security.rules.http.answers]
            on = "http.response"
            if = 'http.request.path.startsWith("/openai")'
            decision = "block"
            priority = 10

            [security.rules.http.other_answers]
            on = "http.response"
            if = "true"
            decision = "allow"
            priority = 1000
            """;

    private final SecurityEngine engine = new SecurityEngine(Events.snapshot(RULES));

    private Evaluation judge(String host, String path) {
        return engine.evaluate(Events.http("GET", host, path));
    }

    private static void isAmbiguous(Evaluation evaluation) {
        assertThat(evaluation.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.AMBIGUOUS_PATH));
        assertThat(evaluation.steps()).anyMatch(step -> step.status() == StepStatus.ERROR);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/openai/x",
                "/%6fpenai/x",
                "/x/../openai/x",
                "/./openai/x",
                "//openai/x",
                "///openai/x",
                "/x/..%2fopenai/x",
                "/%2fopenai/x",
                "/x//../openai/x",
                "/x/..//openai/x",
                "/.%2fopenai/x",
                "/%2e%2fopenai/x",
                "/x/%2e%2e%2fopenai/x",
                "/x/%252e%252e/openai/x",
                "/x/%252e%252e%252fopenai",
                "/%252fopenai",
                "/;/openai/x",
                "/;a/openai/x",
                "/x/..;/openai/x",
                "/x/..%3b/openai/x",
                "/\\openai/x",
                "/%5copenai/x",
                "/x/..\\openai/x",
                "/x/..%5copenai/x",
                "/x%2f..%2fopenai%2fx",
                "/x/%c0%ae%c0%ae/openai",
                "/x/..%c0%afopenai",
                "/openai/../x",
                "/openai/%2e%2e/x",
                "/openai%00",
                "/openai%2f..%2fx"
            })
    void aBlockHoldsInAnyReading(String path) {
        assertThat(judge("github.com", path).decision()).as(path).isEqualTo(Decision.BLOCK);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/other/secret",
                "/acme/../other/secret",
                "/acme/..%2fother/secret",
                "/acme/%2e%2e%2fother/secret",
                "/acme//../other/secret",
                "/acme/%2f../other/secret",
                "/acme/x%2f..%2f..%2fother%2fsecret",
                "/acme/..;/other/secret",
                "/acme/..;a=b/other/secret",
                "/acme/..\\other/secret",
                "/acme/..%5cother",
                "/acme/%5c../other",
                "/acme\\..\\other",
                "/acme/%252e%252e/other/secret",
                "/acme/..%252fother/secret",
                "/acme/%25252e%25252e/other",
                "/acme/.%2e/other",
                "/acme/%2e./other",
                "/acme/x/..//../../other",
                "/acme/..%c0%afother",
                "/acme/%c0%ae%c0%ae/other",
                "/acme/..%e0%80%afother",
                "/other%2f..%2facme/x",
                "/other/..%2facme/x",
                "//acme/x",
                "/acme%2fx",
                "/acme;/x/..",
                "/acme/..%00/other",
                "/acme/..%3b/other",
                "/acme/..",
                "/acme/.."
            })
    void anAllowHoldsInEveryReading(String path) {
        assertThat(judge("files.example", path).decision()).as(path).isEqualTo(Decision.BLOCK);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/acme/x",
                "/acme/a//b",
                "/acme/a%2fb",
                "/acme/@scope%2fname",
                "/acme/a;v=1/b",
                "/acme/a%20b%252Fc",
                "/acme/./a",
                "/acme/a/../b",
                "/acme/a%5cb",
                "/acme/x%3Fy%23z",
                "/acme/%00"
            })
    void whatEveryServerReadsTheSameWayPasses(String path) {
        assertThat(judge("files.example", path).outcome()).as(path).isEqualTo(new Evaluation.Allowed());
    }

    /// What npm, GitLab's clients, S3's and Maven's ask for, at hosts about whose paths no rule speaks.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/@scope%2fname",
                "/@scope%2Fname/-/name-1.0.0.tgz",
                "/api/v4/projects/group%2Fproject/repository/files/src%2Fmain.c/raw?ref=main",
                "/bucket/folder//object",
                "/bucket/a%2F..%2Fb",
                "/maven/a/1.0/a-1.0.jar;build=7",
                "/search/C%23",
                "/wiki/Foo%3F",
                "/a/../b"
            })
    void whereNoRuleReadsPathsEverySpellingPasses(String path) {
        assertThat(judge("registry.example", path).outcome()).as(path).isEqualTo(new Evaluation.Allowed());
    }

    @Test
    void theCauseAndTheRuleAreNamed() {
        Evaluation evaluation = judge("github.com", "//openai/x");

        isAmbiguous(evaluation);
        assertThat(evaluation.rule().orElseThrow().value()).isEqualTo("security.rules.http.organisation");
        assertThat(evaluation.reason().orElseThrow())
                .contains("more than one way")
                .doesNotContain("openai");
    }

    @Test
    void aQuestionIsAskedOnlyIfItIsTheQuestionOfEveryReading() {
        assertThat(judge("files.example", "/drafts/a%2fb").decision()).isEqualTo(Decision.ASK);
        isAmbiguous(judge("files.example", "/drafts/..%2facme/x"));
        isAmbiguous(judge("files.example", "/acme/..%2fdrafts/x"));
    }

    @Test
    void aRewriteHoldsInEveryReadingAndNeverGuessesAPath() {
        assertThat(judge("old.example", "/v1/a%2fb").outcome()).isInstanceOf(Evaluation.Rewritten.class);
        isAmbiguous(judge("old.example", "/x/..%2fv1/a"));
        isAmbiguous(judge("old.example", "/v1/..%2fx"));
        assertThat(judge("moved.example", "/v1/a").outcome()).isInstanceOf(Evaluation.Rewritten.class);
        isAmbiguous(judge("moved.example", "/v1/..%2fadmin"));
    }

    @Test
    void queriesAreReadWithoutNeedlessEscapes() {
        HttpRequest spelled = Events.http("GET", "git.example", "/o/r/info/refs?service=git%2Dreceive%2dpack");

        assertThat(engine.evaluate(spelled).decision()).isEqualTo(Decision.BLOCK);
        assertThat(spelled.query()).contains("service=git%2Dreceive%2dpack");
        isAmbiguous(judge("git.example", "/o/r/info/refs%3fservice=git-receive-pack"));
    }

    @Test
    void aBodyIsReadIfItDecidesInAnyReading() {
        Body unread = new Body.Unread(Optional.empty());

        assertThat(engine.needsBody(Events.http("POST", "read.example", "/in/a", unread)))
                .isTrue();
        assertThat(engine.needsBody(Events.http("POST", "read.example", "/a", unread)))
                .isFalse();
        assertThat(engine.needsBody(Events.http("POST", "read.example", "/a/..%2fin/a", unread)))
                .isTrue();
    }

    @Test
    void answersAreJudgedByEveryReadingOfTheirRequest() {
        for (String path : List.of("/openai", "//openai", "/x/..%2fopenai")) {
            HttpRequest request = Events.http("GET", "registry.example", path);
            assertThat(engine.evaluate(Events.response(request, 200, Body.NONE)).decision())
                    .as(path)
                    .isEqualTo(Decision.BLOCK);
        }
        HttpRequest other = Events.http("GET", "registry.example", "/@scope%2fname");
        assertThat(engine.evaluate(Events.response(other, 200, Body.NONE)).decision())
                .isEqualTo(Decision.ALLOW);
    }

    @Test
    void aPathOfCountlessReadingsIsRefused() {
        isAmbiguous(judge("registry.example", "/a;%252f//..%5c\\;b%3f%23%00/%2525252f..;//./x"));
    }
}
