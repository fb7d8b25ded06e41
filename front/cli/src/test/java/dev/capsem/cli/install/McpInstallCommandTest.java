package dev.capsem.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tomlj.Toml;
import tools.jackson.databind.JsonNode;

class McpInstallCommandTest {
    private static final String PROGRAM = "/nowhere/dist/bin/capsem-mcp";

    @TempDir
    Path home;

    private final CliHarness cli = new CliHarness();

    @BeforeEach
    void start() {
        cli.environment.put("HOME", home.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "claude, .claude.json, mcpServers",
        "gemini, .gemini/settings.json, mcpServers",
        "opencode, .config/opencode/opencode.json, mcp",
        "vscode, .config/Code/User/mcp.json, servers",
        "cursor, .cursor/mcp.json, mcpServers"
    })
    void writesOneEntryAndKeepsTheRest(String client, String name, String section) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, "{\"theme\":\"dark\",\"" + section + "\":{\"other\":{\"command\":\"x\"}}}");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

        Outcome first = cli.run("mcp", "install", client);
        String written = Files.readString(file);
        Outcome second = cli.run("mcp", "install", client);

        assertThat(first.exitCode()).as(first.err()).isZero();
        JsonNode json = Json.parse(written);
        assertThat(json.path("theme").asString()).isEqualTo("dark");
        assertThat(json.path(section).has("other")).isTrue();
        JsonNode command = json.path(section).path("capsem").path("command");
        assertThat(command.isArray() ? command.path(0).asString() : command.asString())
                .isEqualTo(PROGRAM);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
        assertThat(second.out()).startsWith("already registered");
        assertThat(Files.readString(file)).isEqualTo(written);
        assertThat(beside(file))
                .hasSize(2)
                .anySatisfy(
                        path -> assertThat(path.getFileName().toString()).endsWith(".before-capsem-20260131-120000"));
    }

    @Test
    void codexKeepsItsCommentsAndOtherTables() throws IOException {
        Path file = home.resolve(".codex/config.toml");
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, """
                # mine
                model = "o"

                [mcp_servers.capsem]
                command = "/old"

                [mcp_servers.capsem.env]
                OLD = "1"

                [mcp_servers.other]
                command = "x" # stays
                """);
        cli.environment.put("CAPSEM_HOME", "/srv/c");

        Outcome first = cli.run("mcp", "install", "codex");
        String written = Files.readString(file);
        Outcome second = cli.run("mcp", "install", "codex");

        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(written).contains("# mine", "command = \"x\" # stays").doesNotContain("/old", "OLD");
        var toml = Toml.parse(written);
        assertThat(toml.hasErrors()).isFalse();
        assertThat(toml.getString("mcp_servers.capsem.command")).isEqualTo(PROGRAM);
        assertThat(toml.getString("mcp_servers.capsem.env.CAPSEM_HOME")).isEqualTo("/srv/c");
        assertThat(toml.getString("mcp_servers.other.command")).isEqualTo("x");
        assertThat(second.out()).startsWith("already registered");
    }

    @Test
    void makesAFileThatIsNotThereAndPrivate() throws IOException {
        assertThat(cli.run("mcp", "install", "codex").exitCode()).isZero();
        assertThat(cli.run("mcp", "install", "claude", "--name", "boxes").exitCode())
                .isZero();

        Path file = home.resolve(".claude.json");
        assertThat(Json.parse(Files.readString(file)).path("mcpServers").has("boxes"))
                .isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(home.resolve(".codex/config.toml")).exists();
    }

    @Test
    void printingChangesNothing() throws IOException {
        for (String client : List.of("claude", "gemini", "codex", "opencode", "vscode", "cursor")) {
            Outcome printed = cli.run("mcp", "install", client, "--print");
            assertThat(printed.exitCode()).isZero();
            assertThat(printed.out()).contains(PROGRAM);
            assertThat(printed.err()).contains("belongs into " + home);
        }
        try (Stream<Path> files = Files.list(home)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void leavesAloneWhatItCannotRead() throws IOException {
        Path file = home.resolve(".cursor/mcp.json");
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, "{ // mine\n}");

        Outcome refused = cli.run("mcp", "install", "cursor");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.err()).contains("cannot be edited", "--print");
        assertThat(Files.readString(file)).isEqualTo("{ // mine\n}");
        assertThat(cli.run("mcp", "install", "emacs").exitCode()).isEqualTo(2);
    }

    private static List<Path> beside(Path file) throws IOException {
        try (Stream<Path> files = Files.list(file.resolveSibling(".").normalize())) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
