package dev.capsem.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PartProgressTest {
    /// Lets a test wait for what is printed.
    private static final class Heard extends OutputStream {
        private final StringBuilder text = new StringBuilder();
        private final CountDownLatch something = new CountDownLatch(1);

        @Override
        public synchronized void write(int value) {
            text.append((char) value);
            if (value == 's') {
                something.countDown();
            }
        }

        synchronized String text() {
            return text.toString();
        }
    }

    @Test
    void saysWhatIsMeasuredWhileItLasts() throws InterruptedException {
        var heard = new Heard();
        try (var _ = new PartProgress(
                new PrintStream(heard, true, StandardCharsets.UTF_8),
                false,
                "net (part 2 of 3)",
                Duration.ofMillis(1))) {
            assertThat(heard.something.await(1, TimeUnit.MINUTES)).isTrue();
        }

        assertThat(heard.text()).startsWith("measuring net (part 2 of 3), ");
    }

    @Test
    void leavesNothingOnATerminal() throws InterruptedException {
        var heard = new Heard();
        try (var _ = new PartProgress(
                new PrintStream(heard, true, StandardCharsets.UTF_8), true, "sse", Duration.ofMillis(1))) {
            assertThat(heard.something.await(1, TimeUnit.MINUTES)).isTrue();
        }

        assertThat(heard.text()).startsWith("\r").contains("measuring sse").endsWith("\r\u001b[K");
    }
}
