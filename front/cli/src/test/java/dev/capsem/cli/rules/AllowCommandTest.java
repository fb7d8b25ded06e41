package dev.capsem.cli.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.testkit.service.FakeService;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class AllowCommandTest {
    private final CliHarness cli = new CliHarness();
    private final FakeService service = cli.service;

    @BeforeEach
    void anEmptyProfileThatAllows() {
        service.answers.put("GET /rules", "{\"rules\":[]}");
        service.answers.put("POST /rules", "{}");
        service.answers.put("POST /rules/explain", "{\"decision\":\"allow\"}");
    }

    @Test
    void addsARuleForRequestsAndOneForTheName() {
        Outcome outcome = cli.run("allow", "Docs.Example.com");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).isEqualTo("allowed docs.example.com\n");
        assertThat(outcome.err())
                .contains("capsem rules remove http.allow_docs_example_com dns.allow_docs_example_com");
        assertThat(rules())
                .containsExactly(
                        "security.rules.http.allow_docs_example_com: http.request.host == \"docs.example.com\"",
                        "security.rules.dns.allow_docs_example_com: dns.request.qname == \"docs.example.com\"");
        assertThat(service.bodies.getLast().path("given").path("http").path("request"))
                .hasToString("{\"host\":\"docs.example.com\",\"method\":\"GET\",\"scheme\":\"https\",\"path\":\"/\"}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '→', textBlock = """
            *.example.com                   → http.request.host.endsWith(".example.com")
            nas.example:8080                → http.request.host == "nas.example" && http.request.port == 8080
            https://a.example/v2/           → http.request.host == "a.example" && http.request.scheme == "https" && (http.request.path == "/v2" || http.request.path.startsWith("/v2/"))
            bücher.example.                 → http.request.host == "xn--bcher-kva.example"
            [2001:DB8::1]:8443              → http.request.host == "2001:db8::1" && http.request.port == 8443
            """)
    void readsAHostAsPeopleWriteIt(String written, String condition) {
        assertThat(AllowedHost.parse(written).condition(false, false)).isEqualTo(condition);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "*.com",
                "a b",
                "me@a.example",
                "a.example?x=1",
                "a.example#x",
                "a.*.example",
                "a.example:0",
                "a.example:70000",
                "-a.example",
                "a..example",
                "a.example/x\"y",
                "a.example/../x",
                "a.example/%2e",
                "a.example//x",
                "ftp://a.example",
                "*.[::1]",
                ""
            })
    void refusesWhatIsNoHostAndAddsNothing(String written) {
        assertThatThrownBy(() -> AllowedHost.parse(written)).isInstanceOf(CliProblem.class);

        assertThat(cli.run("allow", "good.example", written).exitCode()).isEqualTo(2);
        assertThat(service.calls).isEmpty();
    }

    @Test
    void readingAllowsTwoMethodsOnly() {
        cli.run("allow", "a.example", "--reading");

        assertThat(rules().getFirst())
                .isEqualTo("security.rules.http.allow_a_example_reading: http.request.host == \"a.example\""
                        + " && http.request.method in [\"GET\", \"HEAD\"]");
    }

    @Test
    void aHostInsideNeedsAPort() {
        assertThat(cli.run("allow", "nas.example", "--inside").exitCode()).isEqualTo(2);
        assertThat(service.calls).isEmpty();

        assertThat(cli.run("allow", "nas.example:8080", "--inside").exitCode()).isZero();
        assertThat(rules().getFirst())
                .contains("http.request.port == 8080")
                .endsWith("(!has(http.request.address_class)"
                        + " || http.request.address_class in [\"private\", \"loopback\"])");
    }

    @Test
    void anAddressHasNoNameToAllow() {
        cli.run("allow", "192.0.2.7:8080", "--inside");

        assertThat(rules()).singleElement().asString().startsWith("security.rules.http.");
    }

    @Test
    void allowsOnceAndTellsWhenItWasAllowedBefore() {
        service.answers.put("GET /rules?profile=lab", """
                {"rules":[
                 {"id":"security.rules.http.allow_a_example","condition":"http.request.host == \\"a.example\\""},
                 {"id":"security.rules.dns.allow_a_example","condition":"dns.request.qname == \\"a-example\\""}]}
                """);

        Outcome outcome = cli.run("allow", "a.example", "--profile", "lab");

        assertThat(outcome.out()).isEqualTo("allowed a.example\n");
        assertThat(rules()).containsExactly("security.rules.dns.allow_a_example_2: dns.request.qname == \"a.example\"");
        assertThat(service.bodies.getFirst().path("profile").asString()).isEqualTo("lab");
        service.answers.put("GET /rules", """
                {"rules":[
                 {"id":"security.rules.http.allow_a_example","condition":"http.request.host == \\"a.example\\""},
                 {"id":"security.rules.dns.allow_a_example","condition":"dns.request.qname == \\"a.example\\""}]}
                """);
        assertThat(cli.run("allow", "a.example").out()).isEqualTo("allowed already: a.example\n");
    }

    @Test
    void saysWhichRuleStillStandsInTheWay() {
        service.answers.put(
                "POST /rules/explain", "{\"decision\":\"block\",\"rule\":\"security.rules.http.no_paste_sites\"}");

        Outcome outcome = cli.run("allow", "paste.example");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out())
                .contains("not allowed paste.example")
                .contains("http.no_paste_sites still decides block");
        assertThat(cli.run("allow", "paste.example", "--json").out())
                .contains("\"decision\"")
                .contains("\"block\"");
    }

    /// What was posted as a rule, as `id: condition`.
    private List<String> rules() {
        return service.bodies.stream()
                .filter(body -> body.has("rule"))
                .map(AllowCommandTest::shown)
                .toList();
    }

    private static String shown(JsonNode body) {
        return body.path("id").asString() + ": " + body.path("rule").path("if").asString();
    }
}
