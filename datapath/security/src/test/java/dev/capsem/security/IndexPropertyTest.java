package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.security.rule.Rule;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/// Generated rules on generated events: the index is invisible, the order total.
class IndexPropertyTest {
    private static final List<String> HOSTS =
            List.of("a.com", "b.a.com", "x.b.a.com", "ba.com", "a.org", "b.org", "xn--a.com", "10.0.0.1");
    private static final List<String> PATHS = List.of("/", "/a", "/a/b", "/openai", "/v1/messages");
    private static final List<String> DECISIONS = List.of("allow", "ask", "block");

    @Test
    void indexDecidesAsAskingAllRulesInOrderDoes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 12; round++) {
            String toml = rules(random, 30);
            SecurityEngine engine = Events.engine(toml);
            for (int i = 0; i < 150; i++) {
                SecurityEvent event = event(random);

                Evaluation indexed = engine.evaluate(event);

                assertThat(indexed)
                        .as("seed %d, rules:%n%s%nevent: %s", seed, toml, event)
                        .isEqualTo(engine.evaluateLinearly(event));
            }
        }
    }

    @Test
    void firstMatchInOrderOfPriorityAndIdDecides() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 8; round++) {
            RuleSnapshot snapshot = Events.snapshot(rules(random, 20));
            SecurityEngine engine = new SecurityEngine(snapshot);
            SecurityEvent event = event(random);

            Optional<Rule> first = snapshot.rules(event.type()).stream()
                    .filter(rule -> new SecurityEngine(new RuleSnapshot(List.of(rule), List.of(), List.of()))
                            .evaluate(event)
                            .rule()
                            .isPresent())
                    .findFirst();

            assertThat(engine.evaluate(event).rule()).as("seed %d", seed).isEqualTo(first.map(Rule::id));
            assertThat(snapshot.rules()).isSortedAccordingTo(Rule.ORDER);
        }
    }

    @Test
    void atAnInsideAddressOnlyBlocksAndRulesThatSpeakOfAddressesCount() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        RuleSnapshot snapshot = Events.snapshot(rules(random, 5));
        for (int i = 0; i < 400; i++) {
            snapshot = i % 20 == 0 ? Events.snapshot(rules(random, 5)) : snapshot;
            HttpRequest request = Events.http("GET", pick(random, HOSTS), pick(random, PATHS))
                    .withAddress(InetAddress.ofLiteral("10.1.2.3"));

            Evaluation evaluation = new SecurityEngine(snapshot).evaluate(request);

            boolean counts = evaluation
                    .rule()
                    .flatMap(snapshot::rule)
                    .filter(rule -> rule.decision() == Decision.BLOCK || rule.speaksOfAddresses())
                    .isPresent();
            assertThat(counts || evaluation.outcome().equals(new Evaluation.Blocked(BlockCause.PRIVATE_ADDRESS)))
                    .as("seed %d: %s", seed, evaluation)
                    .isTrue();
        }
    }

    private static String rules(RandomGenerator random, int count) {
        StringBuilder toml = new StringBuilder();
        for (int i = 0; i < count; i++) {
            boolean dns = random.nextInt(6) == 0;
            toml.append("[security.rules.")
                    .append(dns ? "dns" : "http")
                    .append(".r")
                    .append(i)
                    .append("]\n")
                    .append("on = \"")
                    .append(dns ? "dns.request" : "http.request")
                    .append("\"\n")
                    .append("if = '")
                    .append(dns ? dnsTerm(random) : expression(random, 3))
                    .append("'\n")
                    .append("decision = \"")
                    .append(pick(random, DECISIONS))
                    .append("\"\n")
                    .append("priority = ")
                    .append(1 + random.nextInt(5))
                    .append("\n");
        }
        return toml.toString();
    }

    private static String expression(RandomGenerator random, int depth) {
        if (depth == 0 || random.nextInt(3) == 0) {
            return term(random);
        }
        String left = expression(random, depth - 1);
        String right = expression(random, depth - 1);
        return switch (random.nextInt(4)) {
            case 0 -> "!(" + left + ")";
            case 1 -> "(" + left + " || " + right + ")";
            default -> "(" + left + " && " + right + ")";
        };
    }

    private static String term(RandomGenerator random) {
        String host = pick(random, HOSTS);
        String part = host.substring(random.nextInt(host.length()));
        return switch (random.nextInt(12)) {
            case 0, 1 -> "http.request.host == \"" + host + "\"";
            case 2 -> "http.request.host.endsWith(\"" + part + "\")";
            case 3 -> "http.request.host.startsWith(\"" + host.substring(0, random.nextInt(host.length())) + "\")";
            case 4 -> "http.request.host in [\"" + host + "\", \"" + pick(random, HOSTS) + "\"]";
            case 5 -> "http.request.path.startsWith(\"" + pick(random, PATHS) + "\")";
            case 6 -> "http.request.header(\"x\") != \"1\"";
            case 7 -> "http.request.body.text.contains(\"b\")";
            case 9 -> "http.request.address_class == \"" + (random.nextBoolean() ? "private" : "public") + "\"";
            case 10 -> "!has(http.request.address) || http.request.address == \"10.1.2.3\"";
            case 8 -> "\"" + host + "\" == http.request.host";
            default -> "http.request.method == \"GET\"";
        };
    }

    private static String dnsTerm(RandomGenerator random) {
        return "dns.request.qname.endsWith(\"" + pick(random, HOSTS) + "\")";
    }

    private static SecurityEvent event(RandomGenerator random) {
        if (random.nextInt(5) == 0) {
            return Events.dns(pick(random, HOSTS));
        }
        Body body = switch (random.nextInt(4)) {
            case 0 -> Body.of("abc");
            case 1 -> new Body.TooLarge(OptionalLong.of(99_000_000), Optional.empty());
            case 2 -> new Body.Unread(Optional.empty());
            default -> Body.NONE;
        };
        String method = random.nextBoolean() ? "GET" : "POST";
        HttpRequest request = random.nextBoolean()
                ? Events.http(
                        method, pick(random, HOSTS), pick(random, PATHS), body, "x", random.nextBoolean() ? "1" : "2")
                : Events.http(method, pick(random, HOSTS), pick(random, PATHS), body);
        return switch (random.nextInt(4)) {
            case 0 -> request.withAddress(InetAddress.ofLiteral("10.1.2.3"));
            case 1 -> request.withAddress(InetAddress.ofLiteral("9.9.9.9"));
            default -> request;
        };
    }

    private static String pick(RandomGenerator random, List<String> from) {
        return from.get(random.nextInt(from.size()));
    }
}
