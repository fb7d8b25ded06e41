package dev.capsem.exchange.leak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.Grants;
import dev.capsem.broker.Held;
import dev.capsem.broker.Placeholder;
import dev.capsem.broker.SecretGrant;
import dev.capsem.broker.SecretPlace;
import dev.capsem.broker.SecretValue;
import dev.capsem.events.row.Finding;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.exchange.ScriptedGate;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LeakGateTest {
    private static final String STAND_IN = "ghp_Stand0In123456789ABCDEFGHIJklmnopqr";
    private static final byte[] BYTES = STAND_IN.getBytes(StandardCharsets.US_ASCII);

    private final Grants grants = Grants.of(List.of(new Held(
            new SecretGrant(
                    "forge",
                    List.of("forge.example"),
                    List.of(new SecretPlace.Header("authorization")),
                    Set.of(),
                    List.of(),
                    GrantMode.PLACEHOLDER,
                    Optional.empty(),
                    1,
                    false),
            new Placeholder(STAND_IN),
            Optional.of(SecretValue.of("ghp_VALUE0123456789abcdefghijKLMNOPqrst")),
            Optional.empty())));

    private final LeakGate gate = new LeakGate(new Saying(new Evaluation.Allowed()), () -> grants);

    @ParameterizedTest
    @ValueSource(strings = {"%s.evil.example", "x%s.evil.example", "evil.%s"})
    void aNameWithAStandInIsBlockedAndFound(String form) {
        assertLeak(gate.evaluate(question(form.formatted(STAND_IN))));
    }

    @Test
    void caseLabelsAndSpellingsDoNotHideIt() {
        String hex = HexFormat.of().formatHex(BYTES);
        String base64 = Base64.getUrlEncoder().withoutPadding().encodeToString(BYTES);

        assertLeak(gate.evaluate(question(STAND_IN.toUpperCase(Locale.ROOT) + ".evil.example")));
        assertLeak(gate.evaluate(question(STAND_IN.substring(0, 9) + "." + STAND_IN.substring(9) + ".evil.example")));
        assertLeak(gate.evaluate(question(hex.substring(0, 50) + "." + hex.substring(50) + ".evil.example")));
        assertLeak(gate.evaluate(question(base64 + ".evil.example")));
    }

    /// The name of a host is asked for before the exchange looks at the rest of a request.
    @Test
    void theHostOfARequestHoldsNoStandIn() {
        assertLeak(gate.evaluate(toHost(STAND_IN.toLowerCase(Locale.ROOT) + ".evil.example")));
        assertThat(gate.evaluate(toHost("forge.example")).outcome()).isInstanceOf(Evaluation.Allowed.class);
    }

    @Test
    void otherNamesPass() {
        assertThat(gate.evaluate(question("forge.example")).outcome()).isInstanceOf(Evaluation.Allowed.class);
        assertThat(gate.evaluate(question("ghp-stand0in.evil.example")).findings())
                .isEmpty();
    }

    @Test
    void aCallWithAStandInIsBlockedWhereverItStands() {
        assertLeak(gate.evaluate(call(Map.of("text", List.of("a " + STAND_IN)), Map.of())));
        assertLeak(gate.evaluate(call(Map.of(STAND_IN, "as a key"), Map.of())));
        assertLeak(gate.evaluate(call(Map.of(), Map.of("deep", Map.of("er", STAND_IN)))));
        assertLeak(gate.evaluate(call(Map.of("b", Base64.getEncoder().encodeToString(BYTES)), Map.of())));
        assertThat(gate.evaluate(call(Map.of("text", "harmless"), Map.of())).outcome())
                .isInstanceOf(Evaluation.Allowed.class);
    }

    /// A tool may read the file that holds it; a server that asks the client may not be told.
    @Test
    void onlyAnswersThatLeaveAreLookedThrough() {
        assertThat(gate.evaluate(answer("tools/call")).outcome()).isInstanceOf(Evaluation.Allowed.class);
        assertLeak(gate.evaluate(answer("elicitation/create")));
        assertLeak(gate.evaluate(answer("sampling/createMessage")));
    }

    @Test
    void theBlockOfARuleStaysTheRules() {
        LeakGate strict = new LeakGate(new Saying(new Evaluation.Blocked(BlockCause.RULE)), () -> grants);

        Evaluation said = strict.evaluate(question(STAND_IN + ".evil.example"));

        assertThat(said.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.RULE));
        assertThat(said.findings()).extracting(Finding::ruleId).containsExactly("capsem.placeholder_leak");
    }

    @Test
    void aSandboxWithoutGrantsIsAskedNothing() {
        LeakGate open = new LeakGate(new Saying(new Evaluation.Allowed()), () -> Grants.NONE);

        assertThat(open.evaluate(question(STAND_IN + ".evil.example")).outcome())
                .isInstanceOf(Evaluation.Allowed.class);
    }

    private static void assertLeak(Evaluation said) {
        assertThat(said.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.PLACEHOLDER_LEAK));
        assertThat(said.reason().orElseThrow()).contains("forge").doesNotContain(STAND_IN);
        assertThat(said.findings()).extracting(Finding::ruleId).containsExactly("capsem.placeholder_leak");
    }

    private static SecurityEvent.DnsRequest question(String name) {
        return new SecurityEvent.DnsRequest(ScriptedGate.ENVELOPE, name, "A", "udp");
    }

    private static SecurityEvent.HttpRequest toHost(String host) {
        return new SecurityEvent.HttpRequest(
                ScriptedGate.ENVELOPE, "GET", "https", host, 443, "/", Optional.empty(), Headers.NONE, Body.NONE);
    }

    private static SecurityEvent.McpRequest call(Map<String, Object> arguments, Map<String, Object> meta) {
        return request("tools/call", arguments, meta);
    }

    private static SecurityEvent.McpRequest request(
            String method, Map<String, Object> arguments, Map<String, Object> meta) {
        return new SecurityEvent.McpRequest(
                ScriptedGate.ENVELOPE,
                method,
                "docs",
                Optional.of("search"),
                Optional.of("docs__search"),
                Optional.of(JsonDocument.of((Object) arguments)),
                "valid_json",
                Optional.of(JsonDocument.of((Object) meta)));
    }

    private static SecurityEvent.McpResponse answer(String method) {
        return new SecurityEvent.McpResponse(
                ScriptedGate.ENVELOPE, request(method, Map.of(), Map.of()), false, Optional.of(JsonDocument.of((Object)
                        Map.of("content", STAND_IN))));
    }

    private record Saying(Evaluation.Outcome outcome) implements SecurityGate {
        @Override
        public Evaluation evaluate(SecurityEvent event) {
            return new Evaluation(outcome, Optional.empty(), Optional.empty(), List.of(), List.of());
        }

        @Override
        public boolean needsBody(SecurityEvent event) {
            return false;
        }
    }
}
