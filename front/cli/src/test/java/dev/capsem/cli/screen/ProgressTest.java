package dev.capsem.cli.screen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.screen.Screen.Terminals;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final Terminals ERR = new Terminals(false, false, true);

    private final CliHarness cli = new CliHarness();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Screen screen(Terminals terminals, String term) {
        cli.terminals = terminals;
        cli.environment.put("TERM", term);
        return cli.context(new ByteArrayOutputStream(), err).screen();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos(); !condition.getAsBoolean(); ) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    @Test
    void longWorkIsSeenOnATerminalAndLeavesNothing() throws InterruptedException {
        try (var _ = Progress.of(screen(ERR, "xterm"), "comparing")) {
            await(() -> err.toString(StandardCharsets.UTF_8).contains("comparing …"));
        }

        assertThat(err.toString(StandardCharsets.UTF_8)).endsWith("\r\u001b[K");
    }

    @Test
    void nothingMovesInPipesOnDumbTerminalsAndForPrograms() {
        Screen forProgram = screen(ERR, "xterm");
        forProgram.withoutProgress();

        for (Screen silent :
                List.of(screen(Terminals.NONE, "xterm"), screen(ERR, "dumb"), screen(ERR, ""), forProgram)) {
            assertThat(silent.showsProgress()).isFalse();
        }
        assertThat(screen(ERR, "xterm").showsProgress()).isTrue();
    }

    /// The command waits until its spinner is seen; with `--json` there is none.
    @Test
    void aCommandForAProgramShowsNone() {
        cli.terminals = ERR;
        cli.environment.put("TERM", "xterm");
        var context = cli.context(new ByteArrayOutputStream(), err);

        new dev.capsem.cli.Capsem(context).run(List.of("list", "--json"));

        assertThat(context.screen().showsProgress()).isFalse();
    }
}
