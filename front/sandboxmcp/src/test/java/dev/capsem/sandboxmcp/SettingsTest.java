package dev.capsem.sandboxmcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandboxmcp.io.BearerToken;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static final Path FILE = Path.of("/home/u/.config/mitos/credentials.json");

    @Test
    void flagsBeforeEnvironmentBeforeFile() {
        Map<String, String> environment = Map.of("MITOS_API_KEY", "from-env", "MITOS_BASE_URL", "http://env:1/");

        assertThat(header(List.of("--token", "from-flag"), environment, "{\"token\":\"from-file\"}"))
                .contains("Bearer from-flag");
        assertThat(header(List.of(), environment, "{\"token\":\"from-file\"}")).contains("Bearer from-env");
        assertThat(header(List.of(), Map.of(), "{\"token\":\"from-file\"}")).contains("Bearer from-file");
        assertThat(header(List.of(), Map.of(), "{}")).isEmpty();
        assertThat(header(List.of(), Map.of(), "not json")).isEmpty();
        assertThat(settings(List.of(), environment).server()).hasToString("http://env:1");
        assertThat(settings(List.of("--server=https://flag//"), environment).server())
                .hasToString("https://flag");
        assertThat(settings(List.of(), Map.of()).server()).hasToString("https://mitos.run");
    }

    @Test
    void theCredentialFileMovesWithItsDirectory() {
        Settings.Parsed parsed = Settings.parse(
                List.of(),
                Map.of("MITOS_CONFIG_DIR", "/etc/m"),
                Path.of("/home/u"),
                file -> file.equals(Path.of("/etc/m/credentials.json"))
                        ? Optional.of("{\"token\":\"t\"}".getBytes(StandardCharsets.UTF_8))
                        : Optional.empty());

        assertThat(((Settings.Parsed.Run) parsed).settings().token()).isPresent();
    }

    @Test
    void theTokenIsNeverShown() {
        Settings settings = settings(List.of("--token", "s3cret-token"), Map.of());

        assertThat(settings.startLine()).isEqualTo("server=https://mitos.run workspace_tools=false token=set");
        assertThat(settings.toString()).doesNotContain("s3cret");
        assertThat(Settings.USAGE).doesNotContain("s3cret");
        assertThat(parse(List.of("--token", "s3cret-token", "--nope"), Map.of()).toString())
                .doesNotContain("s3cret");
        assertThat(settings(List.of(), Map.of()).startLine()).endsWith("token=unset");
    }

    @Test
    void readsTheOtherOptions() {
        assertThat(settings(List.of("--enable-workspace-tools"), Map.of()).workspaceTools())
                .isTrue();
        assertThat(settings(List.of("--enable-workspace-tools=false"), Map.of()).workspaceTools())
                .isFalse();
        assertThat(settings(List.of("-server", "http://a", "--transport", "http", "--port=0", "--open"), Map.of())
                        .transport())
                .isEqualTo(new Settings.Transport.Http(0, Optional.empty()));
        assertThat(parse(List.of("--help"), Map.of())).isInstanceOf(Settings.Parsed.Help.class);
        assertThat(parse(List.of("--server"), Map.of())).isInstanceOf(Settings.Parsed.Wrong.class);
        assertThat(parse(List.of("--server", "ftp://x"), Map.of())).isInstanceOf(Settings.Parsed.Wrong.class);
        assertThat(parse(List.of("--port", "99999"), Map.of())).isInstanceOf(Settings.Parsed.Wrong.class);
        assertThat(parse(List.of("--transport", "sse"), Map.of())).isInstanceOf(Settings.Parsed.Wrong.class);
    }

    @Test
    void theHttpTransportWantsAPasswordUnlessItIsToBeOpen() {
        List<String> http = List.of("--transport", "http");

        assertThat(parse(http, Map.of()))
                .isInstanceOfSatisfying(
                        Settings.Parsed.Wrong.class,
                        wrong -> assertThat(wrong.complaint()).contains("MITOS_MCP_HTTP_TOKEN", "--open"));
        assertThat(parse(http, Map.of("MITOS_MCP_HTTP_TOKEN", ""))).isInstanceOf(Settings.Parsed.Wrong.class);
        assertThat(settings(http, Map.of("MITOS_MCP_HTTP_TOKEN", "s3cret")).transport())
                .isInstanceOfSatisfying(
                        Settings.Transport.Http.class,
                        transport -> assertThat(transport.password().map(BearerToken::header))
                                .hasValue("Bearer s3cret"));
        assertThat(settings(List.of(), Map.of()).transport())
                .as("without a token on stdio, as ever")
                .isEqualTo(new Settings.Transport.Stdio());
    }

    private static Settings settings(List<String> words, Map<String, String> environment) {
        return ((Settings.Parsed.Run) parse(words, environment)).settings();
    }

    private static Settings.Parsed parse(List<String> words, Map<String, String> environment) {
        return Settings.parse(words, environment, Path.of("/home/u"), _ -> Optional.empty());
    }

    private static Optional<String> header(List<String> words, Map<String, String> environment, String file) {
        Settings.Parsed parsed = Settings.parse(
                words,
                environment,
                Path.of("/home/u"),
                path -> path.equals(FILE) ? Optional.of(file.getBytes(StandardCharsets.UTF_8)) : Optional.empty());
        return ((Settings.Parsed.Run) parsed).settings().token().map(BearerToken::header);
    }
}
