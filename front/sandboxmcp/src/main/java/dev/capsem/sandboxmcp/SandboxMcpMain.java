package dev.capsem.sandboxmcp;

import dev.capsem.sandboxmcp.io.BearerToken;
import dev.capsem.sandboxmcp.io.HttpSandboxServerClient;
import dev.capsem.sandboxmcp.io.HttpTransport;
import dev.capsem.sandboxmcp.tools.SandboxTools;
import dev.capsem.toolserver.StdioShell;
import dev.capsem.toolserver.ToolServer;
import dev.capsem.wire.CapsemVersion;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/// Composition root of `mitos-mcp`. Stdout carries the protocol and nothing else; everything said goes to stderr.
public final class SandboxMcpMain {

    private SandboxMcpMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        Settings.Parsed parsed = Settings.parse(
                List.of(arguments),
                System.getenv(),
                Path.of(System.getProperty("user.home", "/")),
                SandboxMcpMain::content);
        switch (parsed) {
            case Settings.Parsed.Help _ -> System.out.print(Settings.USAGE);
            case Settings.Parsed.Version _ -> System.out.println("mitos-mcp " + CapsemVersion.TEXT);
            case Settings.Parsed.Wrong(String complaint) -> {
                say(complaint);
                System.exit(2);
            }
            case Settings.Parsed.Run(Settings settings) -> System.exit(run(settings));
        }
    }

    private static int run(Settings settings) throws InterruptedException {
        var backend = new HttpSandboxServerClient(settings.server(), settings.token());
        ToolServer server =
                SandboxTools.server(backend, new SecureRandom(), settings.workspaceTools(), CapsemVersion.TEXT);
        say(settings.startLine());
        return switch (settings.transport()) {
            case Settings.Transport.Stdio _ -> {
                var stdout = new FileOutputStream(FileDescriptor.out);
                // Whoever prints by mistake must not garble the protocol.
                System.setOut(System.err);
                new StdioShell(server, stdout, SandboxMcpMain::say).run(System.in);
                yield 0;
            }
            case Settings.Transport.Http(int port, Optional<BearerToken> password) -> {
                try (var transport = HttpTransport.start(port, password, server, SandboxMcpMain::say)) {
                    say("listening at " + transport.address());
                    Thread.currentThread().join();
                    yield 0;
                } catch (IOException e) {
                    say("cannot listen on port " + port + ": " + e.getMessage() + "; choose another with --port");
                    yield 1;
                }
            }
        };
    }

    private static void say(String text) {
        System.err.println("mitos-mcp " + Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + text);
    }

    private static Optional<byte[]> content(Path file) {
        try {
            return Optional.of(Files.readAllBytes(file));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
