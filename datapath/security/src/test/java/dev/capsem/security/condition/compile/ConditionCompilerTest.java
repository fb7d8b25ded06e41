package dev.capsem.security.condition.compile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.condition.Condition;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionCompilerTest {
    private static final ConditionCompiler COMPILER = new ConditionCompiler();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            http.request.hst == "x" | 13 | unknown field http.request.hst. Did you mean http.request.host?
            http.request.zzz == "x" | 13 | unknown field http.request.zzz. http.request has address, address_class, body,
            http.request.status == 2 | 13 | unknown field http.request.status. Did you mean http.response.status?
            htp.request.host == "x" | 0 | unknown root htp. Did you mean http?
            true && event.host == "x" | 8 | event.* is internal and not for rules.
            http.request.host == 3 | 18 | wrong type: == does not take (string, int).
            http.request.host.startWith("x") | 18 | unknown function startWith. Did you mean startsWith?
            http.response.status == 200 | 0 | http.response.status is not known at http.request; it is at on = "http.response".
            dns.request.qname == "x" | 0 | dns.request.qname is not known at http.request; it is at on = "dns.request".
            http.request.host | 12 | wrong type: this is a string, and a bool is needed here.
            http.request.host == "x" && | 27 | the condition ends too early.
            http.request.host == "x" ) | 25 | unexpected ).
            http.request.path.matches("(") | 26 | the pattern is not accepted: missing closing ).
            http.request.path.matches(http.request.host) | 25 | the pattern of matches() must be a text in quotes
            http.request.header(3).exists() | 13 | wrong type: header does not take http.request.(int).
            http.request.body.exists() && http.request.exists() | 49 | http.request is a group of fields
            b"x" == b"x" | 0 | bytes and unsigned numbers are not used in rules.
            """)
    void refusesWithPlaceCauseAndHint(String text, int offset, String message) {
        assertThat(COMPILER.compile(text, EventType.HTTP_REQUEST))
                .isInstanceOfSatisfying(ConditionCompiler.Result.Refused.class, refused -> {
                    assertThat(refused.problems().get(0).message()).startsWith(message);
                    assertThat(refused.problems().get(0).offset()).isEqualTo(offset);
                });
    }

    @Test
    void reportsAllProblemsAtOnce() {
        var result = COMPILER.compile("http.request.hst == \"x\" && http.request.pth == \"y\"", EventType.HTTP_REQUEST);

        assertThat(result)
                .isInstanceOfSatisfying(
                        ConditionCompiler.Result.Refused.class,
                        refused -> assertThat(refused.problems()).hasSize(2));
    }

    @Test
    void offersKeysThatTheConditionCannotMatchWithout() {
        assertThat(keys("http.request.path == \"/a\" && http.request.host == \"b\""))
                .containsExactly("host EQUALS b");
        assertThat(keys("http.request.host in [\"a\", \"b\"]")).containsExactly("host EQUALS a", "host EQUALS b");
        assertThat(keys("http.request.host == \"a\" || http.request.host.endsWith(\".b\")"))
                .containsExactly("host EQUALS a", "host ENDS_WITH .b");
        assertThat(keys("http.request.host == \"a\" || http.request.method == \"GET\""))
                .isEmpty();
        assertThat(keys("!(http.request.host == \"a\")")).isEmpty();
    }

    @Test
    void namesWhatCanBeLeftOutToEscape() {
        assertThat(escapes("http.request.header(\"x\") != \"ok\"")).containsExactly("http.request.header(\"x\")");
        assertThat(escapes("!http.request.query.contains(\"a\")")).containsExactly("http.request.query");
        assertThat(escapes("http.request.header(\"x\") == \"bad\"")).isEmpty();
        assertThat(escapes("!http.request.header(\"x\").exists() || http.request.header(\"x\") != \"ok\""))
                .isEmpty();
        assertThat(escapes("!has(http.request.query) || http.request.query != \"a\""))
                .isEmpty();
    }

    private static List<String> keys(String text) {
        return compiled(text).facts().keys().orElse(List.of()).stream()
                .map(key ->
                        key.field().path().substring("http.request.".length()) + " " + key.kind() + " " + key.text())
                .toList();
    }

    private static List<String> escapes(String text) {
        return compiled(text).facts().escapes().stream().sorted().toList();
    }

    private static Condition compiled(String text) {
        return ((ConditionCompiler.Result.Compiled) COMPILER.compile(text, EventType.HTTP_REQUEST)).condition();
    }
}
