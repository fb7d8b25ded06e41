package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What goes wrong around the service: callers who leave, answers of a size, a damaged file.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServiceFaultsTest {
    /// Only of a test that will fail.
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final String ID = "left-alone";

    private Installation installation;

    @BeforeAll
    void start() {
        installation = Installation.start(Account.available().getFirst());
        installation.create("{\"name\": \"" + ID + "\"}");
    }

    @AfterAll
    void stop() {
        installation.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/exec/" + ID, "/v1/exec"})
    void aCallerWhoLeavesEndsTheCommand(String route) throws IOException {
        String sleep = "sleep 98765" + route.length();
        String body = "{\"sandbox\": \"%s\", \"command\": \"%s\", \"timeout\": 600}".formatted(ID, sleep);
        Process caller = new ProcessBuilder(
                        "curl",
                        "-sS",
                        "--unix-socket",
                        installation.socket().toString(),
                        "-H",
                        "content-type: application/json",
                        "-d",
                        body,
                        "http://capsem" + route)
                .start();
        try {
            awaitRunning(sleep, "1");
        } finally {
            caller.destroyForcibly();
        }

        awaitRunning(sleep, "0");
    }

    private void awaitRunning(String command, String count) {
        String seen = "";
        for (Instant end = Instant.now().plus(PATIENCE); Instant.now().isBefore(end) && !seen.equals(count); ) {
            seen = installation
                    .exec(ID, "pgrep -fcx '" + command + "'")
                    .stdout()
                    .strip();
        }
        assertThat(seen).as("processes of %s", command).isEqualTo(count);
    }

    /// Each of these bytes takes six in JSON.
    @Test
    void aLongAnswerIsComplete() {
        var answer = installation.exec(ID, "head -c 10485760 /dev/zero | tr '\\000' '\\001'");

        assertThat(answer.json().path("truncated").asBoolean()).isFalse();
        assertThat(answer.stdout().length()).isEqualTo(10_485_760);
        assertThat(answer.stdout().chars()).allMatch(character -> character == 1);
    }

    @Test
    void aDamagedTokenFileStopsNobodyButItsTokens() throws IOException {
        assertThat(installation.capsem("gateway", "on", "--port", "0").exitCode())
                .isZero();
        String token = installation
                .capsem("token", "create", "--scope", "read")
                .stdout()
                .strip();
        var server = new SandboxServer(installation, token);
        server.get("/v1/sandboxes").expect(200);
        assertThat(installation.capsem("service", "stop").exitCode()).isZero();
        Path file = installation.home().resolve("server/tokens.json");
        Files.writeString(file, Files.readString(file).substring(1));

        Outcome status = installation.capsem("status");

        assertThat(status.exitCode()).isEqualTo(1);
        assertThat(status.stdout()).contains("tokens.json", "are refused", "capsem token create");
        // It comes back by itself, a moment after the service: this waits for it.
        assertThat(installation.capsem("gateway", "on", "--port", "0").exitCode())
                .isZero();
        server.get("/v1/sandboxes").expect(401);
        String fresh = installation
                .capsem("token", "create", "--scope", "read")
                .stdout()
                .strip();
        server.with(fresh).get("/v1/sandboxes").expect(200);
        assertThat(installation.exec(ID, "true").exitCode()).isZero();
        Files.delete(file.resolveSibling("tokens.json.damaged"));
        assertThat(installation.capsem("status").exitCode()).isZero();
    }
}
