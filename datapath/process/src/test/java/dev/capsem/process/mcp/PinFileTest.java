package dev.capsem.process.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.mcp.pin.ToolPin;
import dev.capsem.mcp.pin.ToolPins;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PinFileTest {
    private static final List<CatalogEntry> CATALOG =
            List.of(CatalogEntry.of(Kind.TOOLS, "docs", Json.object().put("name", "search")));

    @TempDir
    private Path directory;

    @Test
    void whatIsMetForTheFirstTimeIsTakenAsItIs() {
        assertThat(isTaken(new PinFile(directory).read())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "half a li", "[]x", "{}", "[{\"namespaced_name\":1}]"})
    void aDamagedFileIsAReasonToAskAndIsKept(String content) throws IOException {
        Path file = directory.resolve("mcp_tool_cache.json");
        Files.writeString(file, content);
        PinFile pins = new PinFile(directory);

        ToolPins read = pins.read();
        pins.write(read.review(CATALOG, Instant.EPOCH).pins());

        assertThat(isTaken(read)).isFalse();
        assertThat(directory.resolve("mcp_tool_cache.json.damaged")).hasContent(content);
        assertThat(isTaken(new PinFile(directory).read())).isFalse();
        Files.writeString(file, "damaged again");
        new PinFile(directory).read();
        assertThat(directory.resolve("mcp_tool_cache.json.damaged")).hasContent(content);
        assertThat(directory.resolve("mcp_tool_cache.json.damaged-2")).hasContent("damaged again");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hole", "device", "dangling"})
    @Timeout(60)
    void whatIsNoFileOfAUsualSizeIsAReasonToAskToo(String kind) throws IOException {
        Path file = directory.resolve("mcp_tool_cache.json");
        switch (kind) {
            case "hole" -> {
                try (var hole = new RandomAccessFile(file.toFile(), "rw")) {
                    hole.setLength(1L << 40);
                }
            }
            case "device" -> Files.createSymbolicLink(file, Path.of("/dev/zero"));
            default -> Files.createSymbolicLink(file, directory.resolve("nothing"));
        }

        boolean isTaken = isTaken(new PinFile(directory).read());

        assertThat(isTaken).as("a link to nothing is as good as no file").isEqualTo(kind.equals("dangling"));
    }

    @Test
    void oneThatCannotBeReadIsNeverWrittenOver() throws IOException {
        Path file = Files.createDirectory(directory.resolve("mcp_tool_cache.json"));
        Files.writeString(file.resolve("x"), "");
        Files.createDirectory(directory.resolve("mcp_tool_cache.json.damaged"));
        PinFile pins = new PinFile(directory);

        assertThat(isTaken(pins.read())).isFalse();
        pins.write(ToolPins.NONE);

        assertThat(directory.resolve("mcp_tool_cache.json.damaged-2").resolve("x"))
                .exists();
    }

    private static boolean isTaken(ToolPins pins) {
        return pins.review(CATALOG, Instant.EPOCH).pins().all().stream().allMatch(ToolPin::isApproved);
    }
}
