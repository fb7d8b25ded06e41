package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.ClaimedCaller;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The guest can forge who calls: that may narrow what is allowed, and never be what it is allowed for.
class CallerRulesTest {
    private static final List<String> ATOMS = List.of(
            "http.request.host == \"a.b\"",
            "http.request.host != \"a.b\"",
            "http.request.method == \"GET\"",
            "caller.name == \"git\"",
            "caller.name != \"git\"",
            "caller.path == \"/usr/bin/git\"",
            "caller.script == \"/usr/bin/git.js\"",
            "true",
            "common.origin_kind == \"unknown\"");

    @Test
    void narrowsAnAllow() {
        SecurityEngine engine = Events.engine("""
                [security.rules.http.git]
                on = "http.request"
                if = 'http.request.host == "a.b" && caller.name == "git" && caller.path.startsWith("/usr/")'
                decision = "allow"
                """);

        assertThat(engine.evaluate(by("a.b", "GET", "git", "/usr/bin/git")).decision())
                .isEqualTo(Decision.ALLOW);
        assertThat(engine.evaluate(by("a.b", "GET", "curl", "/usr/bin/curl")).decision())
                .isEqualTo(Decision.BLOCK);
        assertThat(engine.evaluate(Events.http("GET", "a.b", "/")).decision()).isEqualTo(Decision.BLOCK);
    }

    @Test
    void narrowsBlocksAndAsksByTheScriptOfAnInterpreter() {
        SecurityEngine engine = Events.engine("""
                [security.rules.http.gemini]
                on = "http.request"
                if = 'http.request.host == "a.b" && caller.script == "/usr/bin/gemini.js"'
                decision = "allow"

                [security.rules.http.other]
                on = "http.request"
                if = 'caller.script.startsWith("/tmp/")'
                decision = "ask"
                priority = 2
                """);

        assertThat(engine.evaluate(by("a.b", "GET", "node", "/usr/bin/gemini")).decision())
                .isEqualTo(Decision.ALLOW);
        assertThat(engine.evaluate(by("c.d", "GET", "node", "/usr/bin/gemini")).decision())
                .isEqualTo(Decision.BLOCK);
        assertThat(engine.evaluate(by("a.b", "GET", "node", "/tmp/x")).decision())
                .isEqualTo(Decision.ASK);
        assertThat(engine.evaluate(Events.http("GET", "a.b", "/")).decision()).isEqualTo(Decision.BLOCK);
    }

    @Test
    void blocksAndAsksByCallerAlone() {
        assertThat(isRefused("caller.name == \"curl\"", "block")).isFalse();
        assertThat(isRefused("caller.name == \"curl\"", "ask")).isFalse();
        assertThat(Events.engine(Events.only("http", "http.request", "caller.name == \"curl\"", "block", ""))
                        .evaluate(by("a.b", "GET", "curl", "/usr/bin/curl"))
                        .decision())
                .isEqualTo(Decision.BLOCK);
    }

    @Test
    void refusesAnAllowThatRestsOnTheCallerAlone() {
        for (String alone : List.of(
                "caller.name == \"git\"",
                "caller.name == \"git\" || http.request.host == \"a.b\"",
                "caller.name.startsWith(\"g\") && true",
                "!(caller.name != \"git\")",
                "caller.name in [\"git\", \"ssh\"]",
                "caller.name == \"git\" ? true : http.request.host == \"a.b\"",
                "(http.request.host == \"a.b\" && caller.name == \"git\")"
                        + " || (http.request.host != \"a.b\" && caller.path == \"/x\")",
                "caller.script == \"/usr/bin/gemini\"",
                "caller.script.endsWith(\"/gemini\") || http.request.host == \"a.b\"",
                "caller.name == \"git\" && common.profile_id == \"coding\"",
                "caller.name == \"git\" && now.hour >= 9",
                "caller.name == http.request.host")) {
            assertThat(isRefused(alone, "allow")).as(alone).isTrue();
        }
        assertThat(isRefused("true", "allow")).isFalse();
        assertThat(isRefused("http.request.host == \"a.b\" && (caller.name == \"x\" || caller.name == \"y\")", "allow"))
                .isFalse();
    }

    @Test
    void refusesExactlyWhatForgingOpensForAllEvents() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int i = 0; i < 150; i++) {
            String condition = condition(random, 3);
            boolean isOpen = condition.contains("caller") && isOpenToForgery(condition);

            assertThat(isRefused(condition, "allow"))
                    .as("seed %d: %s", seed, condition)
                    .isEqualTo(isOpen);
            refused += isOpen ? 1 : 0;
        }
        assertThat(refused).as("seed %d", seed).isBetween(1, 149);
    }

    /// Whether for every request there are a caller and circumstances for which the condition holds.
    private static boolean isOpenToForgery(String condition) {
        SecurityEngine engine = Events.engine(Events.only("http", "http.request", condition, "block", ""));
        for (String host : List.of("a.b", "c.d")) {
            for (String method : List.of("GET", "PUT")) {
                boolean isOpen = false;
                for (String name : List.of("git", "other")) {
                    for (ClaimedCaller caller : callers(name)) {
                        for (OriginKind origin : List.of(OriginKind.UNKNOWN, OriginKind.GUEST_NETWORK)) {
                            isOpen |= engine.evaluate(by(host, method, caller, origin))
                                            .decision()
                                    == Decision.BLOCK;
                        }
                    }
                }
                if (!isOpen) {
                    return false;
                }
            }
        }
        return true;
    }

    private static List<ClaimedCaller> callers(String name) {
        return Stream.of("/usr/bin/git", "/other")
                .flatMap(path -> Stream.of("/usr/bin/git.js", "/other.js")
                        .map(script -> new ClaimedCaller(Optional.of(name), Optional.of(path), Optional.of(script))))
                .toList();
    }

    private static String condition(SplittableRandom random, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            return ATOMS.get(random.nextInt(ATOMS.size()));
        }
        String left = condition(random, depth - 1);
        return switch (random.nextInt(5)) {
            case 0, 1 -> "(" + left + " && " + condition(random, depth - 1) + ")";
            case 2, 3 -> "(" + left + " || " + condition(random, depth - 1) + ")";
            default -> "!(" + left + ")";
        };
    }

    private static boolean isRefused(String condition, String decision) {
        String toml = Events.only("http", "http.request", condition, decision, "");
        return Events.COMPILER.compile(List.of(new SourceText("t.toml", Layer.USER, toml)))
                        instanceof RuleCompiler.Result.Rejected rejected
                && rejected.problems().stream()
                        .anyMatch(problem -> problem.message().contains("can forge caller"));
    }

    private static HttpRequest by(String host, String method, String name, String path) {
        ClaimedCaller caller = new ClaimedCaller(Optional.of(name), Optional.of(path), Optional.of(path + ".js"));
        return by(host, method, caller, OriginKind.UNKNOWN);
    }

    private static HttpRequest by(String host, String method, ClaimedCaller caller, OriginKind origin) {
        HttpRequest request = Events.http(method, host, "/");
        return new HttpRequest(
                Envelope.inline(
                                new EventId("ev-1"),
                                Instant.EPOCH,
                                Attribution.UNKNOWN.withOrigin(origin),
                                Correlation.NONE)
                        .withCaller(caller),
                request.method(),
                request.scheme(),
                request.host(),
                request.port(),
                request.path(),
                request.query(),
                request.headers(),
                request.body());
    }
}
