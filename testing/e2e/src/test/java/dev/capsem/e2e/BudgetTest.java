package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/// Money that stops: whatever runs at the same time and whoever dies meanwhile, no more leaves than a budget allows.
/// A refusal reaches the client in words that end its attempts.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BudgetTest {
    private static final int ALLOWED = 50;
    private static final int TRIED = 200;

    private static final String BUDGETS = """
            [[budget]]
            name = "fifty"
            match = 'http.request.host == "fifty.example.test"'
            limit = "50 requests"
            window = "total"
            soft = 80
            then = "stop"

            [[budget]]
            name = "killed"
            match = 'http.request.host == "killed.example.test"'
            limit = "50 requests"
            window = "total"
            then = "stop"

            [[budget]]
            name = "asked"
            match = 'http.request.host == "asked.example.test"'
            limit = "1 requests"
            window = "day"
            then = "ask"

            [[budget]]
            name = "haiku"
            match = 'model.request.model == "claude-haiku-4-5"'
            limit = "0.05usd"
            window = "session"
            then = "stop"

            [[budget]]
            name = "tokens"
            match = 'model.request.model in ["gpt-4o-mini", "gemini-2.5-flash"]'
            limit = "10 tokens"
            window = "day"
            then = "stop"

            [[budget]]
            name = "priced"
            match = 'model.request.model == "nobody-sells-this"'
            limit = "5usd"
            then = "stop"

            [[budget]]
            name = "counted"
            match = 'model.request.model == "nobody-sells-that"'
            limit = "5usd"
            then = "stop"
            unpriced = "count-tokens"

            [approvals]
            unwatched = "wait"
            """;

    private World world;
    private HttpOrigin fifty;
    private HttpOrigin killed;
    private HttpOrigin asked;
    private NetSandbox sandbox;

    @BeforeAll
    void start() {
        world = new World();
        fifty = world.origin("fifty");
        killed = world.origin("killed");
        asked = world.origin("asked");
        sandbox = NetSandbox.startAlone(Account.available().getFirst(), world, BUDGETS);
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    private static String calls(String origin) {
        return "seq " + TRIED + " | xargs -P 40 -I{} curl -s -o /dev/null -w '%{http_code}\\n' https://{" + origin
                + "}/text | sort | uniq -c | sed 's/^ *//'";
    }

    private JsonNode budget(String name) {
        JsonNode all = sandbox.installation()
                .get("/budgets?sandbox=" + sandbox.id())
                .expect(200)
                .json();
        for (JsonNode one : all.path("budgets")) {
            if (one.path("name").asString().equals(name)) {
                return one;
            }
        }
        throw new AssertionError("no budget " + name + " in " + all);
    }

    @Test
    void ofTwoHundredCallsAtOnceExactlyFiftyPass() {
        Executed run = sandbox.exec(calls("fifty"));

        assertThat(run.stdout()).as(run.stderr()).isEqualTo(ALLOWED + " 200\n" + (TRIED - ALLOWED) + " 429\n");
        assertThat(fifty.received("/text")).hasSize(ALLOWED);
        JsonNode budget = budget("fifty");
        assertThat(budget.path("spent").asLong()).isEqualTo(ALLOWED);
        assertThat(budget.path("held").asLong()).isZero();
        assertThat(sandbox.awaitRows(
                        TRIED - ALLOWED,
                        "SELECT * FROM net_events WHERE domain = 'fifty.example.test' AND policy_action = 'block'"))
                .allSatisfy(row -> assertThat(row.text("policy_reason")).contains("the budget fifty has no room"))
                .hasSize(TRIED - ALLOWED);
        assertThat(sandbox.installation().home().resolve("run/service.log"))
                .content()
                .contains("the budget fifty is used to 80 %");
    }

    @Test
    void killingTheServiceMeanwhileLetsNoMorePass() throws Exception {
        sandbox.exec("nohup sh -c \"" + calls("killed").replace("\"", "\\\"").replace("$", "\\$")
                + " > /tmp/killed.txt; touch /tmp/killed.done\" > /dev/null 2>&1 &");
        await(() -> killed.received("/text").size() >= 5);
        ProcessHandle.of(servicePid().orElseThrow()).orElseThrow().destroyForcibly();

        assertThat(sandbox.installation().capsem("service", "start").exitCode()).isZero();
        await(() ->
                sandbox.exec("test -e /tmp/killed.done && echo yes").stdout().equals("yes\n"));
        // What the kill refused is tried again, so that the limit itself is met.
        sandbox.exec(calls("killed"));

        int reached = killed.received("/text").size();
        assertThat(reached).isBetween(5, ALLOWED);
        JsonNode budget = budget("killed");
        assertThat(budget.path("spent").asLong() + budget.path("held").asLong()).isEqualTo(ALLOWED);
        assertThat(sandbox.exec("curl -s -o /dev/null -w '%{http_code}' https://{killed}/text")
                        .stdout())
                .isEqualTo("429");
        assertThat(killed.received("/text")).hasSize(reached);
    }

    @Test
    void aPersonLetsOneCallPass() throws Exception {
        assertThat(sandbox.exec("curl -s -o /dev/null -w '%{http_code}' https://{asked}/text")
                        .stdout())
                .isEqualTo("200");
        sandbox.exec("nohup sh -c \"curl -s -o /dev/null -w '%{http_code}' https://{asked}/text > /tmp/asked.txt\""
                + " > /dev/null 2>&1 &");
        await(() -> !pending().isEmpty());
        JsonNode question = pending().get(0);
        assertThat(question.toString())
                .contains("1 request of 1 request spent; this call may cost 1 request: the budget asked has no room");
        assertThat(asked.received("/text")).hasSize(1);

        sandbox.installation()
                .post("/confirm/" + question.path("id").asString(), "{\"decision\":\"approve\",\"scope\":\"once\"}")
                .expect(200);

        await(() -> sandbox.exec("cat /tmp/asked.txt").stdout().equals("200"));
        assertThat(asked.received("/text")).hasSize(2);
        assertThat(budget("asked").path("spent").asLong()).isEqualTo(2);
    }

    private JsonNode pending() {
        return sandbox.installation().get("/confirm/pending").expect(200).json().path("pending");
    }

    @Test
    void refusesInTheWordsOfEachProvider() {
        int before = world.anthropic().received().size()
                + world.openai().received().size()
                + world.gemini().received().size();

        String anthropic = ask(
                "{anthropic}/v1/messages",
                "{\"model\":\"claude-haiku-4-5\",\"max_tokens\":64000,"
                        + "\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}");
        String chat = ask(
                "{openai}/v1/chat/completions",
                "{\"model\":\"gpt-4o-mini\",\"max_tokens\":50,"
                        + "\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}");
        String responses = ask(
                "{openai}/v1/responses", "{\"model\":\"gpt-4o-mini\",\"max_output_tokens\":50,\"input\":\"hello\"}");
        String google = ask(
                "{gemini}/v1beta/models/gemini-2.5-flash:generateContent",
                "{\"contents\":[{\"parts\":[{\"text\":\"hello\"}]}]}");

        assertThat(anthropic)
                .contains("402", "\"type\":\"billing_error\"", "capsem budget raise haiku 0.05usd --sandbox");
        assertThat(chat).contains("429", "\"code\":\"insufficient_quota\"", "capsem budget raise tokens");
        assertThat(responses).contains("429", "\"type\":\"insufficient_quota\"");
        assertThat(google).contains("429", "\"status\":\"RESOURCE_EXHAUSTED\"");
        assertThat(anthropic + chat + responses + google)
                .containsIgnoringCase("x-should-retry: false")
                .doesNotContainPattern("(?i)retry-after: [0-9]{1,2}\\r?\\n");
        assertThat(world.anthropic().received().size()
                        + world.openai().received().size()
                        + world.gemini().received().size())
                .isEqualTo(before);
    }

    private String ask(String where, String body) {
        return sandbox.exec("curl -sSi -H 'content-type: application/json' -d '" + body + "' https://" + where)
                .stdout();
    }

    @Test
    void settlesACallFromItsOwnAnswer() {
        String answered = ask(
                "{anthropic}/v1/messages",
                "{\"model\":\"claude-haiku-4-5\",\"max_tokens\":100,"
                        + "\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}");

        assertThat(answered).contains("200");
        await(() -> budget("haiku").path("held").asLong() == 0);
        JsonNode budget = budget("haiku");
        assertThat(budget.path("spent").asLong()).isBetween(1L, 2_000L);
        assertThat(budget.path("limit_now").asLong()).isEqualTo(50_000);
    }

    @Test
    void blocksOrCountsWhatHasNoPrice() {
        int before = world.anthropic().received().size();
        String template = "{\"model\":\"%s\",\"max_tokens\":100,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";

        String blocked = ask("{anthropic}/v1/messages", template.formatted("nobody-sells-this"));
        int afterBlocked = world.anthropic().received().size();
        String counted = ask("{anthropic}/v1/messages", template.formatted("nobody-sells-that"));

        assertThat(blocked).contains("402", "nobody knows the price of the model nobody-sells-this");
        assertThat(afterBlocked).isEqualTo(before);
        assertThat(counted).contains("200");
        await(() -> budget("counted").path("unpriced_tokens").asLong() > 0);
        assertThat(budget("counted").path("spent").asLong()).isZero();
    }

    @Test
    void aLimitOfOneSandboxIsRaisedWhileItRuns() {
        Installation installation = sandbox.installation();
        String id = installation.create("{\"profile_id\":\"" + sandbox.profile() + "\",\"budget\":\"1requests\"}");
        String call = world.command("curl -s -o /dev/null -w '%{http_code}' https://{web}/text");

        String first = installation.exec(id, call).stdout();
        String second = installation.exec(id, call).stdout();
        assertThat(installation
                        .capsem("budget", "raise", "own", "1requests", "--sandbox", id)
                        .exitCode())
                .isZero();
        String third = installation.exec(id, call).stdout();
        String fourth = installation.exec(id, call).stdout();

        assertThat(first + " " + second + " " + third + " " + fourth).isEqualTo("200 429 200 429");
        assertThat(installation.capsem("budget", "list", id).stdout()).contains("own", "2 requests");
    }

    private Optional<Long> servicePid() throws IOException {
        for (long pid : sandbox.installation().processes()) {
            String line = Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1);
            if (line.contains("dev.capsem.daemon.ServiceMain")) {
                return Optional.of(pid);
            }
        }
        return Optional.empty();
    }

    private static void await(BooleanSupplier done) {
        Instant end = Instant.now().plus(Duration.ofSeconds(90));
        while (!done.getAsBoolean()) {
            assertThat(Instant.now()).isBefore(end);
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }
}
