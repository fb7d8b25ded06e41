package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a rule says of a body holds however its reader spells it out.
class BodySpellingsTest {
    private static final String RULES = """
            [security.rules.http.no_keys]
            on = "http.request"
            if = 'http.request.body.text.contains("PRIVATE KEY")'
            decision = "block"
            priority = 10

            [security.rules.http.ask_passwords]
            on = "http.request"
            if = 'http.request.body.text.matches("pass[a-z]+=")'
            decision = "ask"
            priority = 20

            [security.rules.http.mask]
            on = "http.request"
            if = 'http.request.host == "mask.example" && http.request.body.text.contains("sk-")'
            decision = "rewrite"
            priority = 25
            rewrite_target = 'http.request.body.text =~ "sk-[a-z]+"'
            rewrite_value = "masked"

            [security.rules.http.moved]
            on = "http.request"
            if = 'http.request.path.startsWith("/hidden/") && http.request.body.text.contains("codeword")'
            decision = "block"
            priority = 26

            [security.rules.http.reads]
            on = "http.request"
            if = 'http.request.host == "graph.example" && !http.request.body.text.contains("mutation")'
            decision = "allow"
            priority = 30

            [security.rules.http.shape]
            on = "http.request"
            if = 'http.request.host == "shape.example" && http.request.body.text.matches("^.\\"q\\":\\"[^\\"]*\\".$")'
            decision = "allow"
            priority = 30

            [security.rules.http.open]
            on = "http.request"
            if = 'http.request.host in ["open.example", "mask.example"]'
            decision = "allow"
            priority = 40

            [security.rules.http.answers]
            on = "http.response"
            if = 'http.response.body.text.contains("<script>")'
            decision = "block"
            priority = 10

            [security.rules.http.other_answers]
            on = "http.response"
            if = "true"
            decision = "allow"
            priority = 1000

            [security.rules.model.no_keys]
            on = "model.request"
            if = 'model.request.body.text.contains("PRIVATE KEY")'
            decision = "block"
            priority = 10

            [security.rules.model.others]
            on = "model.request"
            if = "true"
            decision = "allow"
            priority = 1000
            """;

    private final SecurityEngine engine = new SecurityEngine(Events.snapshot(RULES));

    private Evaluation judge(String host, String text) {
        return judge(host, "/p", Body.of(text));
    }

    private Evaluation judge(String host, String path, Body body) {
        return engine.evaluate(request(host, path, body));
    }

    private static HttpRequest request(String host, String path, Body body) {
        return Events.http("POST", host, path, body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PRIVATE KEY",
                "{\"k\":\"\\u0050RIVATE KEY\"}",
                "{\"k\":\"PRIVATE\\u0020KEY\"}",
                "k=PRIVATE+KEY",
                "k=PRIVATE%20KEY",
                "k=%50RIVATE%20KEY",
                "P\0R\0I\0V\0A\0T\0E\0 \0K\0E\0Y\0",
                "payload=%7B%22k%22%3A%22%5Cu0050RIVATE+KEY%22%7D",
                "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n{\"k\":\"PRIVAT\\u0045 KEY\"}\r\n--x--"
            })
    void aBlockHoldsInAnyReading(String text) {
        Evaluation evaluation = judge("open.example", text);

        assertThat(evaluation.outcome()).as(text).isEqualTo(new Evaluation.Blocked(BlockCause.RULE));
        assertThat(evaluation.rule()).contains(RuleId.of("http", "no_keys"));
    }

    @Test
    void aBlockHoldsInTheDeclaredCharsetAndInTheOneThatIsIgnored() {
        for (String charset : List.of("utf-16", "utf-32", "utf-16le")) {
            Optional<String> type = Optional.of("text/plain; charset=" + charset);
            byte[] declared = "PRIVATE KEY".getBytes(Charset.forName(charset));
            byte[] ignored = "PRIVATE KEY".getBytes(StandardCharsets.UTF_8);

            for (byte[] content : List.of(declared, ignored)) {
                assertThat(judge("open.example", "/p", Body.of(content, type)).rule())
                        .as(charset)
                        .contains(RuleId.of("http", "no_keys"));
            }
        }
        byte[] unreadable = "PRIVATE KEY".getBytes(StandardCharsets.UTF_8);
        assertThat(judge("open.example", "/p", Body.of(unreadable, Optional.of("text/plain; charset=utf-7")))
                        .outcome())
                .isEqualTo(new Evaluation.Blocked(BlockCause.BODY_TOO_LARGE));
    }

    @Test
    void aQuestionIsAskedInAnyReading() {
        assertThat(judge("open.example", "password%3Dx").decision()).isEqualTo(Decision.ASK);
        assertThat(judge("open.example", "{\"a\":\"passwor\\u0064=x\"}").decision())
                .isEqualTo(Decision.ASK);
    }

    @Test
    void anAllowThatRestsOnTheBodyHoldsInEveryReading() {
        assertThat(judge("graph.example", "{\"q\":\"query\\n{ a }\"}").decision())
                .isEqualTo(Decision.ALLOW);
        assertThat(judge("graph.example", "{\"q\":\"muta\\u0074ion { a }\"}").decision())
                .isEqualTo(Decision.BLOCK);
        assertThat(judge("graph.example", "q=muta%74ion").decision()).isEqualTo(Decision.BLOCK);
        assertThat(judge("shape.example", "{\"q\":\"a \\n caf\\u00e9 \\t 1+1 100%25\"}")
                        .decision())
                .as("ordinary escapes keep a text's shape")
                .isEqualTo(Decision.ALLOW);
    }

    @Test
    void ordinaryBodiesAreJudgedAsBefore() {
        for (String text : List.of(
                "{\"a\":\"line\\nline \\\"quoted\\\" \\u00e9\"}", "a=1+1&b=%26", "C:\\users\\new", "100 % sure+")) {
            assertThat(judge("open.example", text).rule()).as(text).contains(RuleId.of("http", "open"));
        }
    }

    @Test
    void whatARewriteWouldMissIsNotSent() {
        Evaluation plain = judge("mask.example", "{\"a\":\"sk-abc\",\"b\":\"x\\ny\"}");
        assertThat(plain.decision()).isEqualTo(Decision.REWRITE);
        assertThat(judge("mask.example", "{\"a\":\"s\\u006b-abc\"}").outcome())
                .isEqualTo(new Evaluation.Blocked(BlockCause.AMBIGUOUS_BODY));
        assertThat(judge("mask.example", "{\"a\":\"sk-abc\",\"b\":\"s\\u006b-def\"}")
                        .outcome())
                .as("one of two is not enough")
                .isEqualTo(new Evaluation.Blocked(BlockCause.AMBIGUOUS_BODY));
    }

    @Test
    void pathAndBodyMayBothBeSpeltOtherwise() {
        assertThat(judge("open.example", "/x/..%2fhidden/a", Body.of("code\\u0077ord"))
                        .decision())
                .isEqualTo(Decision.BLOCK);
    }

    @Test
    void answersAndModelRequestsAreReadLikewise() {
        HttpRequest request = request("open.example", "/p", Body.NONE);
        HttpResponse answer = Events.response(request, 200, Body.of("{\"html\":\"\\u003cscript\\u003e\"}"));
        ModelRequest model = Events.model("anthropic", "m")
                .withBody(Body.of("{\"messages\":[{\"content\":\"\\u0050RIVATE KEY\"}]}"));

        for (SecurityEvent event : List.of(answer, model)) {
            assertThat(engine.evaluate(event).decision()).as("%s", event.type()).isEqualTo(Decision.BLOCK);
        }
    }
}
