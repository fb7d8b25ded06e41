package dev.capsem.security.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.security.Events;
import dev.capsem.security.RuleCompiler;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RuleReaderTest {
    @Test
    void pointsAtTheSlipInsideTheCondition() {
        assertThat(problems("""
                [security.rules.http.a]
                on = "http.request"
                if = 'http.request.hst == "x"'
                decision = "block"
                """))
                .containsExactly("test.toml:3:20: unknown field http.request.hst. Did you mean http.request.host?");
    }

    @Test
    void pointsThroughEscapesAndLines() {
        assertThat(problems("""
                [security.rules.http.a]
                on = "http.request"
                if = "http.request.path == \\"\\u0041\\" && http.request.hst == \\"x\\""
                decision = "block"
                [security.rules.http.b]
                on = "http.request"
                if = '''
                http.request.host == "x" &&
                  http.request.pth == "y"
                '''
                decision = "block"
                """))
                .containsExactly(
                        "test.toml:3:55: unknown field http.request.hst. Did you mean http.request.host?",
                        "test.toml:9:16: unknown field http.request.pth. Did you mean http.request.path?");
    }

    @Test
    void reportsEverythingThatIsWrongAtOnce() {
        assertThat(problems("""
                [security.rules.http.a]
                on = "http.read"
                if = "true"
                decision = "warn"
                prority = 3
                [security.rules.htp.b]
                on = "http.request"
                [security.rules.dns.c]
                on = "http.request"
                if = ""
                decision = "deny"
                priority = "high"
                [security.rules.http.d]
                """))
                .containsExactlyInAnyOrder(
                        "test.toml:5:1: unknown key prority. Did you mean priority?",
                        "test.toml:2:7: no rule can be on http.read. Instead: use http.request and test"
                                + " http.request.method.",
                        "test.toml:4:13: warn is not a decision any more: use ask to have a person decide, or a"
                                + " detection to be told.",
                        "test.toml:6:1: unknown rule type htp. Did you mean http?",
                        "test.toml:9:7: http.request is judged by rules under security.rules.http, and this one is"
                                + " under dns.",
                        "test.toml:10:7: if is a text in quotes, and not empty.",
                        "test.toml:11:13: unknown decision deny. Decisions are allow, ask, block, rewrite.",
                        "test.toml:12:13: priority is a whole number.",
                        "test.toml:13:1: the rule has no on, which says the event it judges.",
                        "test.toml:13:1: there is no decision: allow, ask, block or rewrite.",
                        "test.toml:13:1: the rule has no if.");
    }

    @Test
    void keepsEachSourceInItsRangeOfPriorities() {
        assertThat(problems(Layer.USER, rule("priority = -1")))
                .hasSize(1)
                .first()
                .asString()
                .contains("from 1 to 999, or 1000 for a catch-all");
        assertThat(problems(Layer.USER, rule("priority = 0"))).hasSize(1);
        assertThat(problems(Layer.CORP, rule("priority = 1"))).hasSize(1);
        assertThat(problems(Layer.CORP, rule(""))).hasSize(1);
        assertThat(problems(Layer.CORP, rule("priority = -1000"))).isEmpty();
        assertThat(problems(Layer.DERIVED, rule("priority = 0"))).isEmpty();
        assertThat(problems(Layer.OVERLAY, rule("priority = -5"))).hasSize(1);
        assertThat(problems(Layer.OVERLAY, rule("priority = 1000"))).hasSize(1);
        assertThat(problems(Layer.USER, rule(""))).isEmpty();
    }

    @Test
    void acceptsOneCatchAllPerEvent() {
        assertThat(problems("""
                [security.rules.http.a]
                on = "http.request"
                if = "true"
                decision = "block"
                priority = 1000
                [security.rules.http.b]
                on = "http.request"
                if = "true"
                decision = "allow"
                priority = 1000
                [security.rules.http.c]
                on = "http.response"
                if = "http.response.status == 200"
                decision = "allow"
                priority = 1000
                """))
                .containsExactly(
                        "test.toml:15:1: priority 1000 is for catch-alls, whose if is \"true\".",
                        "test.toml:6:1: http.request already has a catch-all at test.toml:1:1.");
    }

    @Test
    void checksRewritesAtLoad() {
        assertThat(problems(rewrite("http.request", ""))).first().asString().contains("a rewrite needs");
        assertThat(problems(rewrite("http.request", "strip_request_headers = [\"a b\"]")))
                .first()
                .asString()
                .contains("is a list of header names");
        assertThat(problems(rewrite("http.response", "strip_request_headers = [\"a\"]")))
                .first()
                .asString()
                .contains("works at http.request only");
        assertThat(problems(rewrite("http.request", target("http.request.host", "x", "y"))))
                .first()
                .asString()
                .contains("http.request.host cannot be rewritten; what can: http.request.path");
        assertThat(problems(rewrite("http.request", target("http.request.path", "(", "y"))))
                .first()
                .asString()
                .contains("the pattern is not accepted");
        assertThat(problems(rewrite("http.request", target("http.request.path", "x", "${y}"))))
                .first()
                .asString()
                .contains("${y} is no named group");
        assertThat(problems(rewrite("http.request", "rewrite_value = \"x\"")))
                .first()
                .asString()
                .contains("go together");
        assertThat(problems(rewrite("http.response", target("http.request.path", "x", "y"))))
                .first()
                .asString()
                .contains("can be rewritten at http.request only");
        assertThat(problems(rule("strip_request_headers = [\"a\"]")))
                .first()
                .asString()
                .contains("is only for rules whose decision is rewrite");
        assertThat(problems(rewrite("http.request", target("http.request.path", "(?P<y>x)", "${y}"))))
                .isEmpty();
    }

    @Test
    void refusesTheSameRuleTwiceAcrossSources() {
        RuleCompiler.Result result = Events.COMPILER.compile(List.of(
                new SourceText("one.toml", Layer.USER, rule("")), new SourceText("two.toml", Layer.USER, rule(""))));

        assertThat(result)
                .isInstanceOfSatisfying(
                        RuleCompiler.Result.Rejected.class,
                        rejected -> assertThat(rejected.problems())
                                .extracting(Problem::toString)
                                .containsExactly("two.toml:1:1: security.rules.http.a is already at one.toml:1:1."));
    }

    @Test
    void noticesAMisspelledSection() {
        assertThat(problems("[secuirty.rules.http.a]\non = \"http.request\""))
                .containsExactly("test.toml:1:1: unknown section secuirty. Did you mean security?");
    }

    @Test
    void neverThrowsAndAlwaysSaysWhere() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String valid = Events.only(
                "http",
                "http.request",
                "http.request.host == \"a\" && http.request.port > 3",
                "rewrite",
                "strip_request_headers = [\"a\"]\nrewrite_target = 'http.request.path =~ \"a(?P<x>b)\"'\nrewrite_value = \"${x}\"");
        for (int i = 0; i < 600; i++) {
            String text = i % 4 == 0 ? noise(random) : mutated(valid, random);

            RuleCompiler.Result result =
                    Events.COMPILER.compile(List.of(new SourceText("test.toml", Layer.USER, text)));

            if (result instanceof RuleCompiler.Result.Rejected rejected) {
                assertThat(rejected.problems())
                        .as("seed %d: %s", seed, text)
                        .isNotEmpty()
                        .allSatisfy(problem -> {
                            assertThat(problem.place().line()).isPositive();
                            assertThat(problem.place().column()).isPositive();
                            assertThat(problem.message()).isNotBlank();
                        });
            }
        }
    }

    private static String mutated(String valid, Random random) {
        StringBuilder text = new StringBuilder(valid);
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, "\"'[](){}.=!&|\\\n#$\u00e9\ud83d\ude00".charAt(random.nextInt(19)));
                default -> text.setCharAt(at, (char) random.nextInt(0x300));
            }
        }
        return text.toString();
    }

    private static String noise(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < random.nextInt(200); i++) {
            text.append((char) random.nextInt(random.nextBoolean() ? 128 : 0x10000));
        }
        return text.toString();
    }

    private static String rule(String more) {
        return "[security.rules.http.a]\non = \"http.request\"\nif = 'http.request.host == \"a\"'\ndecision = \"block\"\n"
                + more;
    }

    private static String rewrite(String on, String more) {
        return "[security.rules.http.a]\non = \"" + on + "\"\nif = \"true\"\ndecision = \"rewrite\"\n" + more;
    }

    private static String target(String path, String pattern, String value) {
        return "rewrite_target = '" + path + " =~ \"" + pattern + "\"'\nrewrite_value = \"" + value + "\"";
    }

    private static List<String> problems(String toml) {
        return problems(Layer.USER, toml);
    }

    private static List<String> problems(Layer layer, String toml) {
        return switch (Events.COMPILER.compile(List.of(new SourceText("test.toml", layer, toml)))) {
            case RuleCompiler.Result.Compiled _ -> List.of();
            case RuleCompiler.Result.Rejected rejected ->
                rejected.problems().stream().map(Problem::toString).toList();
        };
    }
}
