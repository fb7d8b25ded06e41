package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Executed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/// What lies inside this host and its networks, under the profiles that people have: closed, with a reason that holds,
/// and opened by what `rules why` and a person's answer say.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetInsideTest {
    private World world;
    private Installation installation;
    private int internalPort;

    @BeforeAll
    void start() throws IOException {
        world = new World();
        internalPort = world.upstreams()
                .http("models.internal", exchange -> exchange.reply(200, "text/plain", World.TEXT))
                .port();
        installation = Installation.prepare(Account.available().getFirst())
                .withSettings(Map.of("CAPSEM_APPROVAL_TIMEOUT_SECS", "120"));
        profile("coding");
        profile("observe");
        Files.writeString(installation.home().resolve("registries.json"), """
                {"registries": [{"client": "npm", "url": "http://plain.example.test:%d/text"},
                                {"client": "npm", "url": "https://packages.example.test:%d/npm/"}]}
                """.formatted(
                        world.plain().port(), world.packages().port()));
        installation.handOver(installation.home());
        assertThat(installation.capsem("service", "start").exitCode()).isZero();
        installation.create("{\"name\":\"lab\",\"persistent\":true,\"profile_id\":\"coding-inside\"}");
    }

    private void profile(String base) throws IOException {
        Path profiles = Files.createDirectories(installation.home().resolve("profiles"));
        Files.writeString(profiles.resolve(base + "-inside.toml"), """
                schema = "capsem.profile.v2"
                id = "%s-inside"
                extends = "%s"

                [approvals]
                unwatched = "wait"

                [network]
                resolvers = ["127.0.0.1:%d"]
                extra_ca = "%s"
                """.formatted(
                        base,
                        base,
                        world.upstreams().dns().port(),
                        world.upstreams().authority().certificate()));
    }

    @AfterAll
    void stop() {
        installation.close();
        world.close();
    }

    private Executed curl(String sandbox, String url) {
        return installation.exec(sandbox, "curl -sS -w '\\n%{http_code}' " + url);
    }

    private String status(Executed executed) {
        return executed.stdout().substring(executed.stdout().lastIndexOf('\n') + 1);
    }

    /// This host knows where the first leads; of the second only DNS does, which is asked once its name is allowed.
    @ParameterizedTest
    @CsvSource({"host.capsem.internal, 1", "models.internal, 2"})
    void aNameInsideIsOpenedByWhatWhySays(String name, int roundsMax) {
        String url = "http://" + name + ":" + internalPort + "/v1/models";
        int rounds = 0;

        Executed answer = curl("lab", url);
        while (!status(answer).equals("200")) {
            assertThat(++rounds).as(answer.stdout()).isLessThanOrEqualTo(roundsMax);
            assertThat(status(answer)).as(answer.stdout() + answer.stderr()).isEqualTo("403");
            Outcome rule = installation.capsem("rules", "why", "lab", "--toml");
            assertThat(rule.exitCode()).as(rule.stderr()).isZero();
            Outcome added = installation.capsem(
                    rule.stdoutBytes(),
                    installation.userDirectory(),
                    "rules",
                    "add",
                    "--profile",
                    "coding-inside",
                    "-");
            assertThat(added.exitCode()).as(added.stdout() + added.stderr()).isZero();
            answer = curl("lab", url);
        }

        assertThat(answer.stdout()).contains(World.TEXT.strip());
        assertThat(status(curl("lab", "http://" + name + ":" + world.plain().port() + "/text")))
                .as("another port of the same name")
                .isEqualTo("403");
    }

    @Test
    void alwaysLetsThroughWhatAPersonSawAndAllOfThatHost() throws Exception {
        String url = "http://asked.example.test:"
                + world.upstreams()
                        .http("asked.example.test", exchange -> exchange.reply(200, "text/plain", World.TEXT))
                        .port();
        CompletableFuture<Executed> held =
                CompletableFuture.supplyAsync(() -> curl("lab", url + "/a"), Thread.ofVirtual()::start);

        JsonNode first = question("asked.example.test");
        JsonNode told = answerAlways(first).expect(409).json();
        assertThat(told.path("code").asString()).isEqualTo("leads_inside");
        assertThat(told.path("error").asString()).contains("127.0.0.1 (loopback)");
        assertThat(held).as("nothing went through").isNotDone();

        JsonNode second = question("asked.example.test");
        assertThat(second.path("id").asString()).isNotEqualTo(first.path("id").asString());
        answerAlways(second).expect(200);

        assertThat(status(held.get(150, TimeUnit.SECONDS))).isEqualTo("200");
        assertThat(status(curl("lab", "-X POST -d x " + url + "/b")))
                .as("another method, another path, no further question")
                .isEqualTo("200");
    }

    private Installation.Reply answerAlways(JsonNode question) {
        return installation.post(
                "/confirm/" + question.path("id").asString(), "{\"decision\":\"approve\",\"scope\":\"always\"}");
    }

    private JsonNode question(String about) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (true) {
            for (JsonNode row :
                    installation.get("/confirm/pending").expect(200).json().path("pending")) {
                if (row.path("subject").asString().contains(about)) {
                    return row;
                }
            }
            assertThat(System.nanoTime()).as("the question comes in time").isLessThan(end);
            Thread.sleep(50);
        }
    }

    @Test
    void aRegistryInsideIsRead() {
        String registry = "http://plain.example.test:" + world.plain().port();

        assertThat(status(curl("lab", registry + "/text/"))).isNotEqualTo("403");
        assertThat(curl("lab", registry + "/text/").stdout()).doesNotContain("rule");
    }

    @Test
    void npmInstallsWithItsAuditAndNobodyIsAsked() {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/npm")), "skipped: no npm in /usr/bin on this host");
        String registry = "https://packages.example.test:" + world.packages().port() + "/npm/";
        installation.create("{\"name\":\"packages\",\"persistent\":true,\"profile_id\":\"coding-inside\"}");

        Executed installed = installation.exec(
                "packages",
                "mkdir -p p && cd p && echo '{\"name\":\"p\",\"version\":\"1.0.0\"}' > package.json"
                        + " && npm install --audit --no-update-notifier --registry " + registry + " capsem-probe 2>&1");

        assertThat(installed.exitCode()).as(installed.stdout()).isZero();
        assertThat(world.packages().received())
                .as("the audit reached the registry")
                .anyMatch(request -> request.target().endsWith("/npm/-/npm/v1/security/advisories/bulk"));
        assertThat(NetSandbox.rows(
                        installation.persistent("packages").resolve("session.db"),
                        "SELECT * FROM security_events WHERE final_action = 'ask' AND event_type = 'http.request'"))
                .as("questions")
                .isEmpty();
    }

    @Test
    void observeAllowsWhatIsInside() {
        String id = installation.create("{\"profile_id\":\"observe-inside\"}");

        assertThat(status(curl(id, "http://models.internal:" + internalPort + "/")))
                .isEqualTo("200");
        assertThat(status(curl(id, "--max-time 20 http://169.254.169.254/latest/meta-data/")))
                .as("cloud metadata")
                .isEqualTo("403");
    }
}
