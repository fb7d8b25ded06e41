package dev.capsem.telemetry.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

class ProgramLogTest {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramLogTest.class);
    private static final ProgramLog.Rotation LARGE = new ProgramLog.Rotation(1 << 20, 1);

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).reset();
    }

    @Test
    void anEventIsOneJsonLineWithItsFieldsAndItsFailure() throws IOException {
        Path file = directory.resolve("program.log");
        new ProgramLog().toFile(file, LARGE);

        LOG.atWarn()
                .addKeyValue("code", "lost")
                .setCause(new IllegalStateException("bug"))
                .log("ipc.dropped");

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(1);
        JsonNode line = Json.parse(lines.getFirst());
        assertThat(line.at("/level").asString()).isEqualTo("WARN");
        assertThat(line.findValue("message").asString()).isEqualTo("ipc.dropped");
        assertThat(line.findValue("code").asString()).isEqualTo("lost");
        assertThat(lines.getFirst()).contains("IllegalStateException");
    }

    @Test
    void theFileIsFinalAndKeepsWhatItHeld() throws IOException {
        Path file = Files.writeString(directory.resolve("program.log"), "{}\n");
        ProgramLog log = new ProgramLog();
        log.toFile(file, LARGE);

        log.toStandardError();
        LOG.info("after");

        assertThat(Files.readAllLines(file)).hasSize(2).last().asString().contains("after");
    }

    @Test
    void jettyTellsOnlyWarnings() throws IOException {
        Path file = directory.resolve("program.log");
        new ProgramLog().toFile(file, LARGE);

        LoggerFactory.getLogger("org.eclipse.jetty.server.Server").info("started");
        LoggerFactory.getLogger("org.eclipse.jetty.server.Server").warn("stuck");

        assertThat(Files.readString(file)).contains("stuck").doesNotContain("started");
    }
}
