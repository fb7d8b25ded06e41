package dev.capsem.profiles.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.secret.Secret;
import dev.capsem.source.json.JsonWriter;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HostSettingsTest {
    private static final String CLAUDE = """
            {
              "theme": "dark",
              "mcpServers": {
                "GitHub": {
                  "type": "http",
                  "url": "https://mcp.example.com/mcp/",
                  "headers": {"Authorization": "Bearer ghp_TOPSECRET"}
                },
                "runner": {"command": "npx", "args": ["-y", "pkg", "--token=TOPSECRET"], "env": {"KEY": "TOPSECRET"}},
                "queried": {"type": "sse", "url": "https://mcp.example.com/sse?key=TOPSECRET"},
                "off": {"url": "https://mcp.example.com/", "disabled": true},
                "builtin": {"url": "https://mcp.example.com/"},
                "broken": {"url": 3}
              }
            }
            """;

    @Test
    void findsServersOverHttpWithTheirTokensByReference() {
        McpServer server = find(HostTool.CLAUDE, CLAUDE, "github");

        assertThat(server.isUsable()).isTrue();
        assertThat(server.origin()).isEqualTo("claude");
        assertThat(JsonWriter.compact(server.toJson()))
                .contains("\"Authorization\":\"${host:claude:/mcpServers/GitHub/headers/Authorization}\"");
    }

    @Test
    void copiesNoTokenWhateverItsPlace() {
        HostSettings.Detected detected = HostSettings.detect(HostTool.CLAUDE, CLAUDE);

        assertThat(detected.toString()).doesNotContain("TOPSECRET");
        detected.servers()
                .forEach(found ->
                        assertThat(JsonWriter.compact(found.server().toJson())).doesNotContain("TOPSECRET"));
    }

    @Test
    void findsTheTokenWhereTheReferenceSays() {
        assertThat(HostSettings.value(HostTool.CLAUDE, CLAUDE, "/mcpServers/GitHub/headers/Authorization"))
                .contains(new Secret("Bearer ghp_TOPSECRET"));
        assertThat(HostSettings.value(HostTool.CLAUDE, CLAUDE, "/mcpServers/runner/args/2"))
                .contains(new Secret("--token=TOPSECRET"));
        assertThat(HostSettings.value(HostTool.CLAUDE, CLAUDE, "/mcpServers/runner/args/9"))
                .isEmpty();
        assertThat(HostSettings.value(HostTool.CLAUDE, "{}", "/mcpServers/x")).isEmpty();
    }

    @Test
    void showsProgramsWithTheRemedy() {
        McpServer server = find(HostTool.CLAUDE, CLAUDE, "runner");

        assertThat(server.unsupportedStdio()).isTrue();
        assertThat(server.isUsable()).isFalse();
        assertThat(server.obstacle().orElseThrow()).contains("[mcpServers.runner.capsem] capabilities = [...]");
    }

    @Test
    void doesNotUseAnAddressThatMayCarryAToken() {
        McpServer server = find(HostTool.CLAUDE, CLAUDE, "queried");

        assertThat(server.isUsable()).isFalse();
        assertThat(server.obstacle().orElseThrow()).contains("${secret:NAME}");
    }

    @Test
    void keepsWhatIsSwitchedOffOff() {
        assertThat(find(HostTool.CLAUDE, CLAUDE, "off").enabled()).isFalse();
    }

    @Test
    void leavesOutWhatDoesNotFitAndSaysWhere() {
        assertThat(HostSettings.detect(HostTool.CLAUDE, CLAUDE).problems())
                .extracting(problem -> problem.toString())
                .containsExactly(
                        "~/.claude.json:12:16: warning: an MCP server is left out: its name or shape does not fit.",
                        "~/.claude.json:13:15: warning: broken is left out: no command and no valid url.");
    }

    @Test
    void readsGeminisTwoKindsOfAddress() {
        String settings = """
                {"mcpServers": {"a": {"httpUrl": "https://x.example/mcp"}, "b": {"url": "https://x.example/sse"}}}
                """;

        assertThat(((ServerTransport.Http) find(HostTool.GEMINI, settings, "a").transport()).isSse())
                .isFalse();
        assertThat(((ServerTransport.Http) find(HostTool.GEMINI, settings, "b").transport()).isSse())
                .isTrue();
    }

    @Test
    void readsCodexsToml() {
        String settings = """
                [mcp_servers.docs]
                url = "https://x.example/mcp"
                http_headers = { "X-Team" = "TOPSECRET" }
                [mcp_servers.tokened]
                url = "https://x.example/mcp"
                bearer_token_env_var = "DOCS_TOKEN"
                """;

        McpServer docs = find(HostTool.CODEX, settings, "docs");
        assertThat(docs.isUsable()).isTrue();
        assertThat(JsonWriter.compact(docs.toJson()))
                .contains("${host:codex:/mcp_servers/docs/http_headers/X-Team}")
                .doesNotContain("TOPSECRET");
        assertThat(HostSettings.value(HostTool.CODEX, settings, "/mcp_servers/docs/http_headers/X-Team"))
                .contains(new Secret("TOPSECRET"));
        assertThat(find(HostTool.CODEX, settings, "tokened").obstacle().orElseThrow())
                .contains("capsem secret set tokened-token");
    }

    @Test
    void settingsThatCannotBeReadAreAWarningWithAPlace() {
        assertThat(HostSettings.detect(HostTool.CLAUDE, "{\n  oops").problems().toString())
                .contains("~/.claude.json:2:3: warning: not JSON");
        assertThat(HostSettings.detect(HostTool.CODEX, "x = ").problems().toString())
                .contains("~/.codex/config.toml:1:5: warning: not TOML");
    }

    @Test
    void neverThrowsOnDamagedSettings() {
        long seed = 20_260_401;
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder(CLAUDE);
            for (int edits = random.nextInt(8); edits >= 0; edits--) {
                int at = random.nextInt(text.length());
                text.replace(
                        at, Math.min(text.length(), at + random.nextInt(12)), "{}[]\",:0".substring(random.nextInt(8)));
            }

            assertThat(HostSettings.detect(HostTool.CLAUDE, text.toString()))
                    .as("seed %d, round %d", seed, i)
                    .isNotNull();
        }
    }

    private static McpServer find(HostTool tool, String settings, String name) {
        return HostSettings.detect(tool, settings).servers().stream()
                .map(HostSettings.Found::server)
                .filter(server -> server.name().value().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
