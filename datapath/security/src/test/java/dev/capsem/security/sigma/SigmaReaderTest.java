package dev.capsem.security.sigma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Finding;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.security.Events;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.SecurityEngine;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SigmaReaderTest {
    private static final SecurityEvent REQUEST = Events.http(
            "POST",
            "10.1.2.3",
            "/Upload/File?x=1",
            Body.of("a Secret here"),
            "User-Agent",
            "curl/8",
            "x-two",
            "a",
            "x-two",
            "b");

    @Test
    void findsWithoutDeciding() {
        Evaluation evaluation = engine("""
                title: Upload with curl
                id: 5f3c1f0e-0000-4000-8000-000000000001
                status: stable
                level: high
                tags: [attack.exfiltration, capsem.test]
                logsource: {product: capsem, category: http}
                detection:
                  selection:
                    http.request.method: POST
                    http.request.header.User-Agent|startswith: CURL
                  condition: selection
                """).evaluate(REQUEST);

        assertThat(evaluation.decision()).isEqualTo(Decision.ALLOW);
        assertThat(evaluation.findings()).hasSize(1);
        Finding finding = evaluation.findings().get(0);
        assertThat(finding.findingId()).isEqualTo("finding-ev-1-upload_with_curl");
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.tags()).containsExactly("attack.exfiltration", "capsem.test");
        assertThat(finding.sigmaId()).contains("5f3c1f0e-0000-4000-8000-000000000001");
    }

    @Test
    void doesNotTurnABlockIntoAnythingElse() {
        RuleCompiler.Result result = Events.COMPILER.compile(
                List.of(new SourceText("r", Layer.USER, Events.only("http", "http.request", "true", "block", ""))),
                List.of(new DetectionSource("d.yml", "p", yaml("http.request.method: POST", "s"))));

        Evaluation evaluation =
                new SecurityEngine(((RuleCompiler.Result.Compiled) result).snapshot()).evaluate(REQUEST);

        assertThat(evaluation.decision()).isEqualTo(Decision.BLOCK);
        assertThat(evaluation.findings()).hasSize(1);
    }

    @Test
    void knowsTheModifiers() {
        assertThat(finds("http.request.path: /upload/file")).isTrue();
        assertThat(finds("http.request.path|cased: /upload/file")).isFalse();
        assertThat(finds("http.request.path: /upload")).isFalse();
        assertThat(finds("http.request.path: /upl*/f?le")).isTrue();
        assertThat(finds("http.request.path: '/upl\\*'")).isFalse();
        assertThat(finds("http.request.path|contains: LOAD")).isTrue();
        assertThat(finds("http.request.path|startswith: /up")).isTrue();
        assertThat(finds("http.request.path|endswith: FILE")).isTrue();
        assertThat(finds("http.request.path|endswith: longer/than/the/value/itself"))
                .isFalse();
        assertThat(finds("http.request.path|re: ^/Upload/[A-Z]")).isTrue();
        assertThat(finds("http.request.path|re: ^/upload")).isFalse();
        assertThat(finds("http.request.path|re|i: ^/upload")).isTrue();
        assertThat(finds("http.request.body.text|contains|all: [secret, here]")).isTrue();
        assertThat(finds("http.request.body.text|contains|all: [secret, there]"))
                .isFalse();
        assertThat(finds("http.request.body.text|contains: [there, here]")).isTrue();
        assertThat(finds("http.request.host|cidr: 10.0.0.0/8")).isTrue();
        assertThat(finds("http.request.host|cidr: [192.168.0.0/16, 172.16.0.0/12]"))
                .isFalse();
        assertThat(finds("http.request.host|cidr: fd00::/8")).isFalse();
        assertThat(finds("http.request.header.x-two: b")).isTrue();
        assertThat(finds("http.request.header.x-one|exists: true")).isFalse();
        assertThat(finds("http.request.header.x-one|exists: false")).isTrue();
        assertThat(finds("http.request.header.x-one: null")).isTrue();
        assertThat(finds("http.request.port: 443")).isTrue();
        assertThat(finds("http.request.port: [80, 8080]")).isFalse();
    }

    @Test
    void bindsNotBeforeAndBeforeOr() {
        // t is true, f is false.
        assertThat(holds("t or t and f")).isTrue();
        assertThat(holds("(t or t) and f")).isFalse();
        assertThat(holds("f and t or t")).isTrue();
        assertThat(holds("f and (t or t)")).isFalse();
        assertThat(holds("not f and t")).isTrue();
        assertThat(holds("not (f or t)")).isFalse();
        assertThat(holds("not f and not f")).isTrue();
        assertThat(holds("1 of them")).isTrue();
        assertThat(holds("all of them")).isFalse();
        assertThat(holds("all of t*")).isTrue();
        assertThat(holds("any of f* or t")).isTrue();
        assertThat(holds("T and NOT f".replace("T", "t"))).isTrue();
    }

    /// Two fields of a map are joined by and, two values of a field by or: the values must not leak out of
    /// their field.
    @Test
    void keepsListsInsideTheirField() {
        assertThat(finds("{http.request.method: [GET, POST], http.request.host: other}"))
                .isFalse();
        assertThat(finds("[{http.request.method: GET}, {http.request.host: 10.1.2.3}]"))
                .isTrue();
        assertThat(finds("[{http.request.method: GET}, {http.request.host: other}]"))
                .isFalse();
    }

    @Test
    void treatsATestOnAnAbsentFieldAsFalse() {
        assertThat(finds("http.request.header.absent: x")).isFalse();
        assertThat(engine(yaml("{http.request.header.absent: x}", "not s"))
                        .evaluate(REQUEST)
                        .findings())
                .hasSize(1);
    }

    @Test
    void looksIntoArguments() {
        String yaml = yaml("mcp.request.arguments.query.repo: prod", "s").replace("category: http", "category: mcp");

        assertThat(engine(yaml)
                        .evaluate(Events.mcp("g", "t", "{\"query\": {\"repo\": \"PROD\"}}"))
                        .findings())
                .hasSize(1);
        assertThat(engine(yaml).evaluate(Events.mcp("g", "t", "{\"query\": 1}")).findings())
                .isEmpty();
    }

    @Test
    void readsSeveralDocuments() {
        String yaml = yaml("http.request.method: POST", "s") + "---\n"
                + yaml("http.request.port: 443", "s").replace("title: x", "title: y");

        assertThat(engine(yaml).evaluate(REQUEST).findings())
                .extracting(Finding::ruleId)
                .containsExactly("x", "y");
    }

    @Test
    void saysWhereAndWhat() {
        assertThat(problems("""
                title: x
                levle: high
                logsource: {product: windows}
                detection:
                  s:
                    http.request.hst: a
                    http.request.host|begins: b
                    http.request.path|re: '('
                    http.request.host|cidr: nowhere
                  condition: s and u
                ---
                title: y
                logsource: {product: capsem, category: htp}
                detection:
                  s: {http.request.method: GET}
                  condition: s | count() > 3
                """))
                .containsExactlyInAnyOrder(
                        "d.yml:2:1: unknown key levle. Did you mean level?",
                        "d.yml:3:12: logsource.product must be capsem.",
                        "d.yml:6:5: unknown field http.request.hst. Did you mean http.request.host?",
                        "d.yml:7:5: unknown modifier begins.",
                        "d.yml:8:27: the pattern is not accepted: missing closing ).",
                        "d.yml:9:29: cidr takes an address range, such as 10.0.0.0/8.",
                        "d.yml:10:14: the condition names u, which is no selection.",
                        "d.yml:13:40: unknown logsource.category. Did you mean http? It is one of dns, file, http, mcp,"
                                + " model, process, or an event such as http.request.",
                        "d.yml:16:14: aggregations (|) are not supported: a detection judges one event.");
        assertThat(problems("a: &x 1\nb: *x\n"))
                .containsExactly("d.yml:2:4: aliases (*name) are not accepted; write the value out.");
        assertThat(problems("title: ["))
                .first()
                .asString()
                .startsWith("d.yml:1:")
                .contains("not YAML");
    }

    @Test
    void neverThrows() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String valid = yaml("{http.request.path|re: 'a', http.request.host|contains|all: [a, b]}", "s or 1 of them");
        for (int i = 0; i < 600; i++) {
            StringBuilder text = new StringBuilder(valid);
            for (int j = 0; j < 1 + random.nextInt(5); j++) {
                text.setCharAt(
                        random.nextInt(text.length()), (char) random.nextInt(random.nextBoolean() ? 128 : 0x3000));
            }

            SigmaReader.Read read = new SigmaReader().read(new DetectionSource("d.yml", "p", text.toString()));

            assertThat(read.detections().isEmpty()
                            && read.problems().isEmpty()
                            && !text.toString().isBlank()
                            && text.indexOf("title") >= 0)
                    .as("seed %d: %s", seed, text)
                    .isFalse();
        }
    }

    private static boolean finds(String selection) {
        return !engine(yaml(selection, "s")).evaluate(REQUEST).findings().isEmpty();
    }

    private static boolean holds(String condition) {
        String yaml = """
                title: x
                logsource: {product: capsem, category: http}
                detection:
                  t: {http.request.method: POST}
                  f: {http.request.method: GET}
                  condition: %s
                """.formatted(condition);
        return !engine(yaml).evaluate(REQUEST).findings().isEmpty();
    }

    private static String yaml(String selection, String condition) {
        String value = selection.startsWith("{") || selection.startsWith("[") ? selection : "\n    " + selection;
        return "title: x\nlogsource: {product: capsem, category: http}\ndetection:\n  s: " + value + "\n  condition: "
                + condition + "\n";
    }

    private static SecurityEngine engine(String yaml) {
        String allow = Events.only("http", "http.request", "true", "allow", "");
        return switch (Events.COMPILER.compile(
                List.of(new SourceText("r.toml", Layer.USER, allow)),
                List.of(new DetectionSource("d.yml", "pack", yaml)))) {
            case RuleCompiler.Result.Compiled compiled -> new SecurityEngine(compiled.snapshot());
            case RuleCompiler.Result.Rejected rejected ->
                throw new AssertionError(rejected.problems().toString());
        };
    }

    private static List<String> problems(String yaml) {
        return new SigmaReader()
                .read(new DetectionSource("d.yml", "p", yaml)).problems().stream()
                        .map(Problem::toString)
                        .toList();
    }
}
