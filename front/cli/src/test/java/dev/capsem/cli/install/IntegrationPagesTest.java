package dev.capsem.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tomlj.Toml;

/// The pages for each client show configuration that is right.
class IntegrationPagesTest {
    private static final Path PAGES = Path.of("../../docs/integrations");
    private static final Pattern BLOCK = Pattern.compile("```(json|toml)\n(.*?)```", Pattern.DOTALL);

    @Test
    void everyBlockCanBeRead() throws IOException {
        int count = 0;
        try (Stream<Path> pages = Files.list(PAGES)) {
            for (Path page : pages.toList()) {
                for (String block : blocks(page)) {
                    count++;
                    if (block.startsWith("[")) {
                        assertThat(Toml.parse(block).errors()).as("%s", page).isEmpty();
                    } else {
                        assertThat(Json.parse(block).isObject()).as("%s", page).isTrue();
                    }
                }
            }
        }
        assertThat(count).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({
        "claude, claude-code.md",
        "gemini, gemini-cli.md",
        "codex, codex.md",
        "opencode, opencode.md",
        "vscode, vscode.md"
    })
    void theFirstBlockIsWhatInstallWrites(String client, String page) throws IOException {
        var server = new Registration("capsem", "/usr/local/bin/capsem-mcp", Map.of());

        String written = McpClient.named(client).orElseThrow().alone(server);
        String shown = blocks(PAGES.resolve(page)).getFirst();

        if (client.equals("codex")) {
            assertThat(shown.strip()).isEqualTo(written.strip());
        } else {
            assertThat(Json.parse(shown)).isEqualTo(Json.parse(written));
        }
    }

    private static List<String> blocks(Path page) throws IOException {
        List<String> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(Files.readString(page));
        while (matcher.find()) {
            blocks.add(matcher.group(2));
        }
        return blocks;
    }
}
