package dev.capsem.wire.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.io.PanicLog;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PanicTest {
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    @Test
    void aLineIsReadAsItWasWritten() {
        Panic panic = Panic.of(
                NOW,
                "capsem-process",
                7,
                Optional.of("lab"),
                Thread.currentThread(),
                new IllegalStateException("wrong state", new NumberFormatException("For input string: \"s3cret\"")));

        Optional<Panic> read = LogLine.parse(panic.toLine().text()).flatMap(line -> Panic.fromLine(line, "other"));

        assertThat(read).contains(panic);
        assertThat(panic.message())
                .isEqualTo("java.lang.IllegalStateException: wrong state, caused by java.lang.NumberFormatException");
        assertThat(panic.location().orElseThrow()).startsWith("PanicTest.java:");
        assertThat(panic.frames())
                .hasSizeLessThanOrEqualTo(16)
                .first()
                .asString()
                .contains("PanicTest");
    }

    @Test
    void otherLinesAreNoPanics() {
        for (String line : new String[] {
            "plain text",
            "{\"timestamp\":\"yesterday\"}",
            "{not json",
            "",
            "[1]",
            "{\"timestamp\":\"2026-03-01T10:00:00Z\","
                    + "\"level\":\"ERROR\",\"target\":\"x\",\"fields\":{\"message\":\"about a panic\"}}"
        }) {
            assertThat(LogLine.parse(line).flatMap(parsed -> Panic.fromLine(parsed, "x")))
                    .as(line)
                    .isEmpty();
        }
    }

    @Test
    void understandsLinesOfLoggingLibraries() {
        LogLine line = LogLine.parse(
                        "{\"timestamp\":1772359200000,\"level\":\"warn\",\"loggerName\":\"capsem-mcp\","
                                + "\"formattedMessage\":\"PANIC in capsem-mcp: java.lang.Error\",\"threadName\":\"main\",\"throwable\":"
                                + "{\"stepArray\":[{\"className\":\"A\",\"methodName\":\"b\",\"fileName\":\"A.java\",\"lineNumber\":3}]}}")
                .orElseThrow();

        assertThat(line.at()).isEqualTo(NOW);
        assertThat(line.isTrouble()).isTrue();
        Panic panic = Panic.fromLine(line, "capsem-mcp").orElseThrow();
        assertThat(panic.binary()).isEqualTo("capsem-mcp");
        assertThat(panic.thread()).contains("main");
        assertThat(panic.frames()).containsExactly("A.b(A.java:3)");
    }

    @Test
    void oneFileKeepsThePanicsOfAllPrograms() throws IOException {
        Path file = directory.resolve("panics.log");
        PanicLog process = new PanicLog("capsem-process", file, InstantSource.fixed(NOW));
        process.workFor("lab");

        process.uncaughtException(Thread.currentThread(), new IllegalStateException("one"));
        new PanicLog("capsem", file, InstantSource.fixed(NOW))
                .uncaughtException(Thread.currentThread(), new StackOverflowError());

        assertThat(Files.readAllLines(file))
                .extracting(
                        line -> Json.parse(line).path("fields").path("binary").asString())
                .containsExactly("capsem-process", "capsem");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aFullFileIsMovedAside() throws IOException {
        Path file = directory.resolve("panics.log");
        Files.writeString(file, "x".repeat(1_100_000));

        new PanicLog("capsem", file, InstantSource.fixed(NOW))
                .uncaughtException(Thread.currentThread(), new IllegalStateException("one"));

        assertThat(Files.size(file)).isLessThan(100_000);
        assertThat(Files.size(directory.resolve("panics.log.1"))).isEqualTo(1_100_000);
    }
}
