package dev.capsem.cli;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Screen.Terminals;
import dev.capsem.testkit.service.FakeService;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// The command line over a [FakeService], with streams that are kept.
public final class CliHarness {
    public final FakeService service = new FakeService();
    public final Map<String, String> environment = new HashMap<>();
    public byte[] stdin = new byte[0];
    public Terminals terminals = Terminals.NONE;
    public Path directory = Path.of("/");
    public InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-31T12:00:00Z"));

    public record Outcome(int exitCode, String out, String err) {}

    public Outcome run(String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int exitCode = new Capsem(context(out, err)).run(List.of(arguments));
        return new Outcome(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    public CliContext context(ByteArrayOutputStream out, ByteArrayOutputStream err) {
        var screen = new Screen(new ByteArrayInputStream(stdin), out, err, terminals, environment);
        return new CliContext(
                screen, () -> service, environment, directory, Path.of("/nowhere/dist"), new Random(1), clock);
    }
}
