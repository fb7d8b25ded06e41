package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// A command that a rule asks about waits for a person, and runs only if that person says so.
@Tag("e2e")
class ApprovalsTest {
    private static final String PROFILE = """
            schema = "capsem.profile.v2"
            id = "coding"

            [approvals]
            unwatched = "wait"

            [security.rules.process.ask_marks]
            on = "process.exec"
            if = 'process.exec.command.contains("mark")'
            decision = "ask"
            priority = 50
            reason = "it leaves a mark"
            """;

    private static Installation start() throws IOException {
        Installation installation = Installation.prepare(Account.available().getLast());
        Path profile =
                Files.createDirectories(installation.home().resolve("profiles")).resolve("coding.toml");
        Files.writeString(profile, PROFILE);
        installation.handOver(installation.home());
        assertThat(installation.capsem("service", "start").exitCode()).isZero();
        return installation;
    }

    private static CompletableFuture<Reply> begin(Installation installation, String command) {
        return CompletableFuture.supplyAsync(
                () -> installation.post("/exec/lab", "{\"command\":\"" + command + "\",\"timeout_secs\":90}"),
                Thread.ofVirtual()::start);
    }

    private static JsonNode question(Installation installation) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (true) {
            JsonNode pending =
                    installation.get("/confirm/pending").expect(200).json().path("pending");
            if (!pending.isEmpty()) {
                return pending.get(0);
            }
            assertThat(System.nanoTime()).as("the question comes in time").isLessThan(end);
            Thread.sleep(50);
        }
    }

    private static JsonNode answer(Installation installation, String body) throws InterruptedException {
        String id = question(installation).path("id").asString();
        return installation.post("/confirm/" + id, body).expect(200).json();
    }

    private static Reply finished(CompletableFuture<Reply> command) throws Exception {
        return command.get(100, TimeUnit.SECONDS);
    }

    private static boolean exists(Installation installation, String file) {
        return installation.get("/files/lab/content?path=" + file).status() == 200;
    }

    @Test
    void aPersonDecides() throws Exception {
        try (Installation installation = start()) {
            installation.create("{\"name\":\"lab\",\"persistent\":true}");

            CompletableFuture<Reply> denied = begin(installation, "touch mark0");
            JsonNode row = question(installation);
            assertThat(row.path("rule").asString()).isEqualTo("security.rules.process.ask_marks");
            assertThat(row.path("sandbox").asString()).isEqualTo("lab");
            assertThat(exists(installation, "mark0"))
                    .as("nothing runs while it waits")
                    .isFalse();
            assertThat(answer(installation, "{\"decision\":\"deny\"}")
                            .path("outcome")
                            .asString())
                    .isEqualTo("denied");
            assertThat(finished(denied).status()).isNotEqualTo(200);
            assertThat(exists(installation, "mark0")).isFalse();

            CompletableFuture<Reply> once = begin(installation, "touch mark1");
            answer(installation, "{\"decision\":\"approve\"}");
            finished(once).expect(200);
            assertThat(exists(installation, "mark1")).isTrue();

            CompletableFuture<Reply> session = begin(installation, "touch mark1");
            answer(installation, "{\"decision\":\"approve\",\"scope\":\"session\"}");
            finished(session).expect(200);
            finished(begin(installation, "touch mark1")).expect(200);

            CompletableFuture<Reply> always = begin(installation, "touch mark2");
            JsonNode written = answer(installation, "{\"decision\":\"approve\",\"scope\":\"always\",\"by\":\"kim\"}");
            finished(always).expect(200);
            assertThat(Files.readString(
                            Path.of(written.path("rule_written").path("file").asString())))
                    .contains("touch mark2");
            installation.create("{\"name\":\"other\",\"persistent\":true}");
            installation
                    .post("/exec/other", "{\"command\":\"touch mark2\",\"timeout_secs\":60}")
                    .expect(200);

            assertThat(installation.get("/service-logs").text())
                    .contains("\"approval\"", "\"kim\"", "\"always\"")
                    .doesNotContain("touch mark2");
            assertThat(installation
                            .get("/verify/lab")
                            .expect(200)
                            .json()
                            .path("intact")
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void aServiceThatIsKilledApprovesNothing() throws Exception {
        try (Installation installation = start()) {
            installation.create("{\"name\":\"lab\",\"persistent\":true}");
            long service = Long.parseLong(
                    installation.get("/status").expect(200).json().path("pid").asString());
            Thread asking = Thread.ofVirtual()
                    .start(() -> Commands.run(
                            List.of(
                                    "curl",
                                    "-s",
                                    "--max-time",
                                    "60",
                                    "--unix-socket",
                                    installation.socket().toString(),
                                    "-H",
                                    "content-type: application/json",
                                    "-d",
                                    "{\"command\":\"touch mark9\"}",
                                    "http://capsem/exec/lab"),
                            Map.of(),
                            Path.of("/tmp"),
                            new byte[0]));
            question(installation);

            ProcessHandle.of(service).orElseThrow().destroyForcibly();
            asking.join();
            assertThat(installation.capsem("service", "start").exitCode()).isZero();

            assertThat(installation.get("/confirm/pending").expect(200).json().path("pending"))
                    .isEmpty();
            assertThat(exists(installation, "mark9")).isFalse();
            CompletableFuture<Reply> again = begin(installation, "touch mark9");
            answer(installation, "{\"decision\":\"approve\"}");
            finished(again).expect(200);
            assertThat(exists(installation, "mark9")).isTrue();
        }
    }
}
