package dev.capsem.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// An MCP server of npm or ours on loopback, and the profile of a sandbox that may use it.
final class McpServers implements AutoCloseable {
    private static final Path PACKAGES = NetClients.FOLDER.resolve("node_modules/@modelcontextprotocol");
    private static final int TRIES_MAX = 600;

    /// Whoever is added to a profile may be used.
    private static final String RULES = """

            [security.rules.mcp.world]
            on = "mcp.request"
            if = 'mcp.request.server_name != "file"'
            decision = "allow"
            priority = 500

            [security.rules.mcp.rest]
            on = "mcp.request"
            if = "true"
            decision = "block"
            priority = 1000

            [security.rules.mcp.answers]
            on = "mcp.response"
            if = "true"
            decision = "allow"
            priority = 1000

            [security.rules.process.commands]
            on = "process.exec"
            if = "true"
            decision = "allow"
            priority = 1000
            """;

    private final Process process;
    private final int port;
    private final Path directory;

    private McpServers(Process process, int port, Path directory) {
        this.process = process;
        this.port = port;
        this.directory = directory;
    }

    /// Why they cannot be used here; empty if they can.
    static Optional<String> missing() {
        return Files.isDirectory(PACKAGES.resolve("server-everything"))
                ? Optional.empty()
                : Optional.of("the MCP servers of npm are not installed; ./capsem setup --tests installs them");
    }

    /// @param directory which the programs may use; anybody may write there
    static McpServers start(Path directory) {
        int port = freePort();
        List<String> command =
                List.of(NetClients.node(), entry("server-everything").toString(), "streamableHttp");
        return run(directory, command, Map.of("PORT", Integer.toString(port)), port);
    }

    /// One of our scripts, which takes its port first.
    static McpServers script(Path directory, String script, List<String> arguments, Map<String, String> environment) {
        int port = freePort();
        List<String> command = new ArrayList<>(List.of(
                NetClients.node(),
                NetClients.FOLDER.resolve("scripts").resolve(script).toString(),
                Integer.toString(port)));
        command.addAll(arguments);
        return run(directory, command, environment, port);
    }

    private static McpServers run(Path directory, List<String> command, Map<String, String> environment, int port) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(port + ".log").toFile());
        builder.environment().putAll(environment);
        try {
            McpServers servers = new McpServers(builder.start(), port, directory);
            servers.awaitStart();
            return servers;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    int port() {
        return port;
    }

    /// What it said so far.
    String log() {
        try {
            return Files.readString(directory.resolve(port + ".log"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /// The world's profile with one server on loopback, and rules that let everybody use it. It stands alone: under the
    /// locked-down profile there are no servers.
    static String profile(World world, String name, int port) {
        String server = """
                [mcpServers.%s]
                url = "http://127.0.0.1:%d/mcp"
                """.formatted(name, port);
        return alone(world, server);
    }

    /// The same without any server but the built-in tools.
    static String profileWithoutServers(World world) {
        return alone(world, "");
    }

    static String alone(World world, String servers) {
        return world.profile(servers + RULES).replace("extends = \"locked-down\"\n", "");
    }

    /// The same with all servers of npm.
    String profile(World world) {
        String read = "\"fs:read:" + NetClients.FOLDER + "/**\"";
        String work = "\"fs:read:" + directory + "/**\", \"fs:write:" + directory + "/**\"";
        return alone(world, """
                [mcpServers.everything]
                url = "http://127.0.0.1:%d/mcp"

                [mcpServers.files]
                command = "%s"
                args = ["%s", "%s", "/etc"]
                [mcpServers.files.capsem]
                capabilities = [%s, %s]

                [mcpServers.memory]
                command = "%s"
                args = ["%s"]
                env = { MEMORY_FILE_PATH = "%s/memory.json" }
                [mcpServers.memory.capsem]
                capabilities = [%s, %s]

                [mcpServers.thinking]
                command = "%s"
                args = ["%s"]
                [mcpServers.thinking.capsem]
                capabilities = [%s]
                """.formatted(
                        port,
                        NetClients.node(),
                        entry("server-filesystem"),
                        directory,
                        read,
                        work,
                        NetClients.node(),
                        entry("server-memory"),
                        directory,
                        read,
                        work,
                        NetClients.node(),
                        entry("server-sequential-thinking"),
                        read));
    }

    private static Path entry(String name) {
        return PACKAGES.resolve(name).resolve("dist/index.js");
    }

    private void awaitStart() {
        for (int i = 0; i < TRIES_MAX; i++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return;
            } catch (IOException notYet) {
                pause();
            }
        }
        close();
        throw new IllegalStateException("nobody listens at port " + port + "; see its log");
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
