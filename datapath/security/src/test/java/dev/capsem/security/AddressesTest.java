package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.security.explain.DecisionExplanation;
import dev.capsem.security.explain.Explainer;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/// A rule about a name opens nothing inside the host's own networks.
class AddressesTest {
    private static final Path CAPGATE =
            Path.of("../../control/policy/src/test/resources/dev/capsem/policy/golden/capsem");
    private static final HttpRequest REQUEST = Events.http("GET", "nas.example", "/");

    @ParameterizedTest
    @ValueSource(strings = {"allow", "ask", "rewrite"})
    void aRuleThatSaysNothingOfAddressesDoesNotCountInside(String decision) {
        String more = decision.equals("rewrite") ? "strip_request_headers = [\"x\"]" : "";
        SecurityEngine engine = Events.engine(
                Events.only("http", "http.request", "http.request.host == \"nas.example\"", decision, more));

        assertThat(engine.evaluate(REQUEST).decision().wireName()).isEqualTo(decision);
        assertThat(engine.evaluate(at("9.9.9.9")).decision().wireName()).isEqualTo(decision);
        assertInside(engine, "10.0.0.1", "private");
        assertInside(engine, "127.0.0.1", "loopback");
        assertInside(engine, "169.254.169.254", "metadata");
        assertInside(engine, "169.254.1.1", "link_local");
        assertInside(engine, "0.0.0.0", "unspecified");
        assertInside(engine, "::1", "loopback");
        assertInside(engine, "fd00::1", "private");
    }

    @Test
    void aBlockAlwaysCounts() {
        SecurityEngine engine =
                Events.engine(Events.only("http", "http.request", "http.request.method == \"GET\"", "block", ""));

        assertThat(engine.evaluate(at("10.0.0.1")).outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.RULE));
    }

    @Test
    void aRuleThatSpeaksOfAddressesCounts() {
        SecurityEngine engine = Events.engine(Events.only(
                "http", "http.request", "http.request.address.startsWith(\"10.\")", "allow", "priority = 5"));

        assertThat(engine.needsAddress()).isTrue();
        assertThat(engine.evaluate(at("10.0.0.1")).decision()).isEqualTo(Decision.ALLOW);
        assertInside(engine, "192.168.0.1", "private");
    }

    @Test
    void publicAddressesNeedNoSecondLookIfNoRuleReadsThem() {
        SecurityEngine engine = Events.engine(Events.only("http", "http.request", "true", "allow", ""));

        assertThat(engine.needsAddress()).isFalse();
        assertThat(new SecurityEngine().needsAddress()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http.request.address_class == \"public\"",
                "http.request.address_class != \"private\"",
                "!has(http.request.address_class) || http.request.address_class == \"private\"",
                "http.request.address_class == \"private\" || http.request.host == \"a.example\"",
                "http.request.address.startsWith(\"10.\")"
            })
    void aRuleThatAPublicAddressMayTurnNeedsTheAddress(String condition) {
        SecurityEngine engine = Events.engine(Events.only("http", "http.request", condition, "block", ""));

        assertThat(engine.needsAddress()).isTrue();
    }

    @Test
    void aRuleForTheInsideAloneNeedsNoSecondLookAtPublicAddresses() {
        SecurityEngine engine = Events.engine(Events.only(
                "http",
                "http.request",
                "http.request.host == \"nas.example\" && http.request.address_class in [\"private\", \"reserved\"]",
                "allow",
                ""));

        assertThat(engine.needsAddress()).isFalse();
        assertThat(engine.evaluate(at("10.0.0.1")).decision()).isEqualTo(Decision.ALLOW);
        assertInside(engine, "127.0.0.1", "loopback");
    }

    @Test
    void anEventThatIsJudgedAgainWithItsAddressCountsOnce() {
        SecurityEngine engine = Events.engine(Events.only("http", "http.request", "true", "allow", ""));

        engine.evaluate(REQUEST);
        engine.evaluate(at("9.9.9.9"));

        assertThat(engine.stats().getFirst().matches()).isEqualTo(1);
    }

    @Test
    void theExplanationNamesWhatDoesNotCountAndWhatWouldAllowIt() {
        RuleSnapshot snapshot =
                Events.snapshot(Events.only("http", "http.request", "http.request.method == \"GET\"", "allow", ""));

        DecisionExplanation explanation = new Explainer(Events.COMPILER).explain(snapshot, at("10.0.0.1"));

        assertThat(explanation.lines())
                .anyMatch(line -> line.startsWith("matches but does not count: security.rules.http.it"))
                .anyMatch(line -> line.contains("http.request.address_class == \"private\""));
        assertThat(explanation.remedy()).isPresent();
    }

    @Test
    void aRuleForTheInsideIsNotShadowedByOneForTheName() {
        String both = """
                [security.rules.http.a]
                on = "http.request"
                if = 'http.request.host == "nas.example"'
                decision = "allow"

                [security.rules.http.b]
                on = "http.request"
                if = 'http.request.host == "nas.example" && http.request.address_class == "%s"'
                decision = "allow"
                """;

        assertThat(warnings(both.formatted("private"))).isEmpty();
        assertThat(warnings(both.formatted("privat")))
                .singleElement()
                .asString()
                .contains("can never match: there is no such class of addresses");
    }

    @Test
    void whatCapgateWritesForUsIsUnderstood() throws IOException {
        List<Path> artifacts;
        try (Stream<Path> files = Files.list(CAPGATE)) {
            artifacts = files.filter(file -> file.toString().endsWith(".json")).toList();
        }

        assertThat(artifacts).hasSizeGreaterThan(5);
        for (Path artifact : artifacts) {
            String toml = new JsonMapper()
                    .readTree(Files.readString(artifact))
                    .path("config")
                    .asString("");
            int rules = toml.indexOf("[security.rules.");
            assertThat(rules).as(artifact.toString()).isNotNegative();
            assertThat(Events.COMPILER.compile(
                            List.of(new SourceText(artifact.toString(), Layer.USER, toml.substring(rules)))))
                    .as(artifact.toString())
                    .isInstanceOf(RuleCompiler.Result.Compiled.class);
        }
    }

    private static List<String> warnings(String toml) {
        return Events.COMPILER.compile(List.of(new SourceText("test.toml", Layer.USER, toml)))
                        instanceof RuleCompiler.Result.Compiled compiled
                ? compiled.warnings().stream().map(Problem::toString).toList()
                : List.of("rejected");
    }

    private static void assertInside(SecurityEngine engine, String address, String addressClass) {
        Evaluation evaluation = engine.evaluate(at(address));
        assertThat(evaluation.outcome()).as(address).isEqualTo(new Evaluation.Blocked(BlockCause.PRIVATE_ADDRESS));
        assertThat(evaluation.reason())
                .hasValueSatisfying(text -> assertThat(text).contains(addressClass));
        assertThat(evaluation.steps()).hasSize(1);
    }

    private static HttpRequest at(String address) {
        return REQUEST.withAddress(InetAddress.ofLiteral(address));
    }
}
