package dev.capsem.profiles.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.Layers;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.source.Layer;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServerDefinitionsTest {
    private static final SecretSource SECRETS =
            ref -> ref.text().equals("${secret:github-token}") ? Optional.of(new Secret("ghp_xxxx")) : Optional.empty();

    @Test
    void writesTheShapeThatTheAggregatorReads() throws IOException {
        StringWriter line = new StringWriter();

        List<ServerDefinitions.Missing> missing = ServerDefinitions.write(servers("""
                        [mcpServers.github]
                        url = "https://mcp.example.com/mcp/"
                        bearerToken = "${secret:github-token}"
                        [mcpServers.github.capsem]
                        allowed_tools = ["search"]
                        """), SECRETS, line);

        assertThat(missing).isEmpty();
        assertThat(line.toString())
                .isEqualTo("[{\"name\":\"github\",\"url\":\"https://mcp.example.com/mcp/\",\"transport\":\"http\","
                        + "\"headers\":{},\"bearer_token\":\"ghp_xxxx\",\"enabled\":true,\"source\":\"manual\","
                        + "\"unsupported_stdio\":false,\"allowed_tools\":[\"search\"]}]");
    }

    @Test
    void marksProgramsWithoutCapabilities() throws IOException {
        StringWriter line = new StringWriter();

        ServerDefinitions.write(servers("[mcpServers.x]\ncommand = \"x\"\n"), SECRETS, line);

        assertThat(line.toString()).contains("\"enabled\":false", "\"unsupported_stdio\":true");
    }

    @Test
    void switchesOffWhatLacksItsSecretAndSaysSo() throws IOException {
        StringWriter line = new StringWriter();

        List<ServerDefinitions.Missing> missing = ServerDefinitions.write(
                servers("[mcpServers.x]\nurl = \"https://x.example/\"\nbearerToken = \"${secret:gone}\"\n"),
                SECRETS,
                line);

        assertThat(line.toString()).contains("\"enabled\":false");
        assertThat(missing).hasToString("[x needs ${secret:gone}, which is not there]");
    }

    @Test
    void anEmptyListIsStillAnArray() throws IOException {
        StringWriter line = new StringWriter();

        ServerDefinitions.write(List.of(), SECRETS, line);

        assertThat(line).hasToString("[]");
    }

    private static List<McpServer> servers(String text) {
        return Layers.valid(Layer.USER, "x", text).entries().stream()
                .map(entry -> ((ServerEntry) entry).server())
                .toList();
    }
}
