package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.security.rule.Rule;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleCompilerTest {
    private static final SourceText MANY = new SourceText("many.toml", Layer.USER, """
            [security.rules.http.first]
            on = "http.request"
            if = 'http.request.host == "a.example"'
            decision = "allow"
            """);

    private final RuleCompiler compiler = new RuleCompiler();

    @Test
    void aSourceThatDidNotChangeIsNotReadAgain() {
        Rule before = rule(List.of(MANY, own("a")), "first");
        Rule after = rule(List.of(MANY, own("b")), "first");

        assertThat(after).isSameAs(before);
    }

    @Test
    void aSourceThatChangedIsReadAgain() {
        Rule before = rule(List.of(MANY, own("a")), "own");
        Rule after = rule(List.of(MANY, own("b")), "own");

        assertThat(after.condition().text()).isNotEqualTo(before.condition().text());
        assertThat(rule(List.of(new SourceText("other.toml", Layer.USER, MANY.text())), "first")
                        .place()
                        .file())
                .as("the same text elsewhere")
                .isEqualTo("other.toml");
    }

    @Test
    void moreSourcesThanAreKeptCompileAllTheSame() {
        for (int i = 0; i < 100; i++) {
            assertThat(rule(List.of(own("host" + i)), "own").condition().text()).contains("host" + i);
        }
    }

    private static SourceText own(String host) {
        return new SourceText("own.toml", Layer.USER, """
                [security.rules.http.own]
                on = "http.request"
                if = 'http.request.host == "%s.example"'
                decision = "block"
                """.formatted(host));
    }

    private Rule rule(List<SourceText> sources, String name) {
        return ((RuleCompiler.Result.Compiled) compiler.compile(sources))
                .snapshot().rules().stream()
                        .filter(rule -> rule.id().value().endsWith("." + name))
                        .findFirst()
                        .orElseThrow();
    }
}
