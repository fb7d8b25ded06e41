package dev.capsem.exchange.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.exchange.TranscriptFile;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HttpExchangeTest {
    static Stream<Path> transcripts() {
        return TranscriptFile.in("http");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("transcripts")
    void playsAsWritten(Path file) {
        HttpPlay play = new HttpPlay();

        TranscriptFile.perform(file, play);

        assertThat(play.leaked())
                .as("pieces of bodies that nobody sent on or released")
                .isEmpty();
    }
}
