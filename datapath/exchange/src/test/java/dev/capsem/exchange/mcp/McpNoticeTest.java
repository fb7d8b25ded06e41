package dev.capsem.exchange.mcp;

import dev.capsem.exchange.TranscriptFile;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class McpNoticeTest {
    static Stream<Path> transcripts() {
        return TranscriptFile.in("notice");
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void isAsItsTranscriptSays(Path transcript) {
        TranscriptFile.perform(transcript, new McpPlay());
    }
}
