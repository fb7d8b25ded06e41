package dev.capsem.cli.demo;

import dev.capsem.cli.demo.io.DemoWorld;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/// The guarded door, stage by stage: a scripted agent in a sandbox, an outside world of our own, a profile that stands
/// between them.
final class NetworkTour {
    @SuppressWarnings("InlineFormatString") // A page of TOML would hide the method that fills it in.
    private static final String PROFILE = """
        schema = "capsem.profile.v2"
        id = "%1$s"
        name = "The demo's"
        description = "Made and deleted by `capsem demo`."
        extends = "locked-down"

        [approvals]
        unwatched = "wait"

        [network]
        resolvers = ["127.0.0.1:%2$d"]
        extra_ca = "%3$s"

        [ai.providers.anthropic]
        base_url = "%4$s"

        [security.rules.dns.demo]
        on = "dns.request"
        if = 'dns.request.qname.endsWith(".%5$s")'
        decision = "allow"
        priority = 500

        [security.rules.http.no_private_keys]
        on = "http.request"
        if = 'http.request.method == "POST" && http.request.body.text.contains("PRIVATE KEY")'
        decision = "block"
        priority = 10
        reason = "private keys stay inside"

        [security.rules.http.ask_before_deploying]
        on = "http.request"
        if = 'http.request.address_class == "loopback" && http.request.path == "/deploy"'
        decision = "ask"
        priority = 20
        reason = "a deployment is a person's decision"

        [security.rules.http.no_tokens]
        on = "http.request"
        if = 'http.request.path == "/headers"'
        decision = "rewrite"
        priority = 30
        strip_request_headers = ["authorization"]

        [security.rules.http.names]
        on = "http.request"
        if = 'http.request.host.endsWith(".%5$s")'
        decision = "allow"
        priority = 600

        [security.rules.http.demo]
        on = "http.request"
        if = 'http.request.address_class == "loopback" && http.request.host.endsWith(".%5$s")'
        decision = "allow"
        priority = 500

        [security.rules.http.answers]
        on = "http.response"
        if = 'http.request.host.endsWith(".%5$s")'
        decision = "allow"
        priority = 500

        [security.rules.model.demo]
        on = "model.request"
        if = 'model.request.provider == "anthropic"'
        decision = "allow"
        priority = 500

        [security.rules.model.answers]
        on = "model.response"
        if = 'model.response.body.state != "redacted"'
        decision = "allow"
        priority = 500
        """;

    private static final int EXEC_TIMEOUT_SECS = 30;
    /// A busy machine; what is waited for takes milliseconds on others.
    private static final Duration WAIT_MAX = Duration.ofSeconds(15);

    private static final Duration POLL = Duration.ofMillis(100);

    private final SandboxService service;
    private final Claims claims;
    private final DemoWorld world;
    private final String id;
    private final AgentScript agent;

    /// @param id a sandbox under the profile of [#profile]
    NetworkTour(SandboxService service, Claims claims, DemoWorld world, String id, AgentScript agent) {
        this.service = service;
        this.claims = claims;
        this.world = world;
        this.id = id;
        this.agent = agent;
    }

    /// The permissions of the demo's sandbox: everything else is refused.
    static String profile(String name, DemoWorld world) {
        return PROFILE.formatted(name, world.resolverPort(), world.certificate(), world.models(), DemoWorld.DOMAIN);
    }

    void run() {
        claims.stage(
                "The guarded door",
                "no network card inside; every byte goes through one door, is judged by rules and recorded");
        fetch();
        exfiltrate();
        explain();
        strip();
        claims.stage("A question", "some things are for a person to decide; `capsem approvals` shows what waits");
        approve();
        claims.stage("A model turn", "model traffic is understood: tokens, cost and tools, per turn (capsem cost)");
        askModel();
    }

    private void fetch() {
        ExecReply reply = exec(agent.get(world.web() + "/page", List.of()));
        claims.check("an allowed page arrives", reply.stdout().contains("hello from outside"), seen(reply));
        ExecReply other = exec(agent.get("https://example.com/", List.of()));
        claims.check("another name does not exist", !other.stdout().contains("200 OK"), seen(other));
    }

    private void exfiltrate() {
        ExecReply reply = exec(
                agent.post(world.web() + "/paste", List.of(), "-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXkt"));
        boolean isBlocked = reply.stdout().contains("no_private_keys");
        claims.check("a private key is not let out", isBlocked, "block: security.rules.http.no_private_keys");
        boolean isUnseen = world.received().stream().noneMatch(line -> line.contains("/paste"));
        claims.check(
                "nothing of it reached the other side",
                isUnseen,
                "the site was sent " + String.join(", ", world.received()));
    }

    private void explain() {
        JsonNode why = until(
                () -> service.post("/rules/explain", Json.object().put("sandbox", id)),
                answer -> answer.path("rule").asString("").endsWith("no_private_keys"));
        claims.check(
                "`capsem rules why` names the rule",
                why.path("rule").asString("").endsWith("no_private_keys")
                        && why.path("decision").asString("").equals("block"),
                why.path("decision").asString("") + ": " + why.path("rule").asString(""));
    }

    private void strip() {
        ExecReply reply = exec(agent.get(
                world.web() + "/headers", List.of("Authorization: Bearer demo-token-of-the-agent", "X-Kept: yes")));
        claims.check(
                "a header is stripped on the way, the others stay",
                reply.stdout().contains("x-kept") && !reply.stdout().contains("authorization"),
                seen(reply));
    }

    private void approve() {
        try (TaskScope scope = new TaskScope("demo-agent", (_, _) -> {})) {
            Future<ExecReply> waiting = scope.fork(() -> exec(agent.get(world.web() + "/deploy", List.of())));
            JsonNode pending = until(
                    () -> service.get("/confirm/pending"),
                    list -> question(list).isPresent());
            Optional<JsonNode> question = question(pending);
            claims.check(
                    "the agent waits, nothing has left",
                    question.isPresent() && world.received().stream().noneMatch(line -> line.contains("/deploy")),
                    question.map(row -> row.path("subject").asString("")).orElse("no question came"));
            if (question.isPresent()) {
                service.post(
                        "/confirm/"
                                + ServiceClient.encode(question.get().path("id").asString("")),
                        Json.object()
                                .put("decision", "approve")
                                .put("scope", "once")
                                .put("by", "demo"));
            }
            ExecReply reply = waiting.get();
            claims.check("once approved, it goes through", reply.stdout().contains("deployed"), seen(reply));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the agent waited", e);
        } catch (ExecutionException e) {
            claims.check("once approved, it goes through", false, String.valueOf(e.getMessage()));
        }
    }

    private Optional<JsonNode> question(JsonNode list) {
        for (JsonNode row : list.path("pending")) {
            if (row.path("sandbox").asString("").equals(id)) {
                return Optional.of(row);
            }
        }
        return Optional.empty();
    }

    private void askModel() {
        ExecReply reply = exec(agent.post(
                world.models() + "/v1/messages",
                List.of("x-api-key: demo", "anthropic-version: 2023-06-01", "content-type: application/json"),
                "{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":100,\"stream\":true,"
                        + "\"messages\":[{\"role\":\"user\",\"content\":\"do the tests pass?\"}]}"));
        claims.check("the answer streams through", reply.stdout().contains("All tests pass."), "All tests pass.");
        JsonNode total = until(
                        () -> service.get("/cost/" + ServiceClient.encode(id) + "?by=model"),
                        report -> report.path("total").path("calls").asLong(0) > 0)
                .path("total");
        claims.check(
                "its tokens are counted",
                total.path("input_tokens").asLong(0) == DemoWorld.INPUT_TOKENS
                        && total.path("output_tokens").asLong(0) == DemoWorld.OUTPUT_TOKENS,
                total.path("input_tokens").asLong(0) + " in, "
                        + total.path("output_tokens").asLong(0) + " out");
        claims.check(
                "and priced",
                total.path("cost_usd").isNumber() && total.path("cost_usd").asDouble() > 0,
                String.format(
                        Locale.ROOT,
                        "$%.6f for %s",
                        total.path("known_cost_usd").asDouble(0),
                        Amounts.counted(total.path("calls").asLong(0), "call")));
    }

    /// Records are written beside the traffic, not before it.
    private static <T> T until(Supplier<T> question, Predicate<T> isThere) {
        long deadline = System.nanoTime() + WAIT_MAX.toNanos();
        T answer = question.get();
        while (!isThere.test(answer) && System.nanoTime() < deadline) {
            try {
                Thread.sleep(POLL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return answer;
            }
            answer = question.get();
        }
        return answer;
    }

    private static String seen(ExecReply reply) {
        return reply.stdout().isBlank() ? reply.stderr() : reply.stdout();
    }

    private ExecReply exec(String line) {
        return service.exec(
                id,
                new ExecRequest(
                        new ExecRequest.Command.Shell(line),
                        Optional.empty(),
                        Map.of(),
                        Optional.empty(),
                        Optional.of(EXEC_TIMEOUT_SECS),
                        Optional.of("cli")));
    }

    /// Where the service looks for profiles of the user.
    static Path install(SandboxService service, String name, DemoWorld world) throws IOException {
        Path profiles = Files.createDirectories(Path.of(service.status().home()).resolve("profiles"));
        Path file = Files.writeString(profiles.resolve(name + ".toml"), profile(name, world));
        service.reload();
        return file;
    }
}
