package dev.capsem.process.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.process.configuration.SessionDirectory;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/// What a person learns of a program that does not work.
class ProgramTroublesTest {
    @TempDir
    Path session;

    @Test
    void aProgramThatEndedTellsHowAndWhatItSaidAndWhatItMissed() throws IOException {
        Path file = Files.writeString(session.resolve("wanted.json"), "{}");
        ProgramTroubles troubles = troubles();
        troubles.ended("near", 3);
        troubles.refused("near", "api.example.com", 443);
        troubles.refused("near", "api.example.com", 443);
        troubles.refused("near", "2001:db8::1", 80);
        Files.writeString(
                session.resolve("mcp-near.log"),
                "old\n".repeat(5_000) + "token hunter2\nError: ENOENT: no such file or directory, open '" + file + "'\n"
                        + "Cannot find module '/nowhere/at/all.js'\n");

        ObjectNode status = Json.object();
        troubles.addTo(status, "near", false);

        assertThat(status.path("ended").asString()).isEqualTo("exit code 3");
        assertThat(status.path("log")).hasSize(12);
        assertThat(Json.text(status)).contains("token ***").doesNotContain("hunter2");
        assertThat(status.path("refused").valueStream().map(each -> each.asString()))
                .containsExactly("net:connect:api.example.com:443", "net:connect:[2001:db8::1]:80", "fs:read:" + file);
    }

    @Test
    void oneThatWorksTellsOnlyWhatItWasRefused() {
        ProgramTroubles troubles = troubles();
        troubles.ended("near", 0);
        troubles.refused("near", "a", 1);

        ObjectNode status = Json.object();
        troubles.addTo(status, "near", true);

        assertThat(Json.text(status)).isEqualTo("{\"refused\":[\"net:connect:a:1\"]}");
    }

    @Test
    void signalsAndMissingCommandsAreNamed() {
        assertThat(ProgramTroubles.shown(137)).isEqualTo("signal 9");
        assertThat(ProgramTroubles.shown(127)).contains("its command was not found");
        assertThat(ProgramTroubles.shown(1)).isEqualTo("exit code 1");
    }

    private ProgramTroubles troubles() {
        return new ProgramTroubles(new SessionDirectory(session), text -> text.replace("hunter2", "***"));
    }
}
