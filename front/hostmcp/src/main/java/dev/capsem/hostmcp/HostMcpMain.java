package dev.capsem.hostmcp;

import dev.capsem.client.io.ServiceCallException;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.client.launch.ServiceLauncher;
import dev.capsem.hostmcp.io.McpLog;
import dev.capsem.hostmcp.tools.HostTools;
import dev.capsem.toolserver.StdioShell;
import dev.capsem.wire.CapsemVersion;
import dev.capsem.wire.HomeLayout;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/// Composition root of `capsem-mcp`. Stdout carries the protocol and nothing else.
public final class HostMcpMain {
    /// How long a service may take to come up before a tool says that it did not.
    private static final Duration SERVICE_WAIT_MAX = Duration.ofSeconds(5);

    private static final String USAGE = """
            Usage: capsem-mcp

            An MCP server on stdin and stdout with 26 tools for sandboxes on this host.
            Register it with a client: capsem mcp install claude|gemini|codex|opencode|vscode|cursor
            It starts capsem-service when a tool needs it. CAPSEM_HOME chooses the home.
            """;

    private HostMcpMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        List<String> words = List.of(arguments);
        if (!words.isEmpty()) {
            System.exit(answerWords(words));
        }
        var layout = HomeLayout.of(
                System.getenv(),
                Path.of(System.getProperty("user.home", "/")),
                Path.of(System.getProperty("java.io.tmpdir", "/tmp")));
        Path dist = Path.of(System.getProperty("capsem.dist", "dist")).toAbsolutePath();
        var log = new McpLog(layout.runDir().resolve("mcp.log"), Clock.systemUTC(), System.err);
        log.note("capsem-mcp " + CapsemVersion.TEXT + " started, pid "
                + ProcessHandle.current().pid());
        Thread.setDefaultUncaughtExceptionHandler(log::panic);
        var client = ServiceClient.starting(layout, ServiceLauncher.inDist(dist, layout), SERVICE_WAIT_MAX);
        // While the client introduces itself, so that the first tool finds the service up.
        Thread.ofVirtual().name("service-start").start(() -> wake(client, log));
        var server = HostTools.server(client, CapsemVersion.TEXT);
        var stdout = new FileOutputStream(FileDescriptor.out);
        // Whoever prints by mistake must not garble the protocol.
        System.setOut(System.err);
        new StdioShell(server, stdout, log::warn).run(System.in);
        System.exit(0);
    }

    private static void wake(ServiceClient client, McpLog log) {
        try {
            client.version();
        } catch (ServiceCallException e) {
            log.warn("no service at the start: " + e.error().error());
        }
    }

    private static int answerWords(List<String> words) {
        return switch (words.getFirst()) {
            case "-h", "--help" -> {
                System.out.print(USAGE);
                yield 0;
            }
            case "-V", "--version" -> {
                System.out.println("capsem-mcp " + CapsemVersion.TEXT);
                yield 0;
            }
            default -> {
                System.err.print(USAGE);
                yield 2;
            }
        };
    }
}
