package dev.capsem.exchange.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.exchange.http.PlainRedactor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PreviewTest {
    private static Optional<String> text(Preview preview) {
        return preview.text(Optional.empty(), new PlainRedactor());
    }

    @Test
    void holdsItsLimitAndNoMore() {
        Preview preview = new Preview(1_000);
        assertThat(preview.isFull()).isFalse();
        assertThat(text(preview)).isEmpty();

        for (int i = 0; i < 3; i++) {
            ByteBuffer bytes = ByteBuffer.wrap("x".repeat(333).getBytes(StandardCharsets.US_ASCII));
            preview.add(bytes);
            assertThat(bytes.position()).isZero();
        }
        assertThat(preview.isFull()).isFalse();
        preview.add(ByteBuffer.wrap(new byte[] {'y', 'z'}));

        assertThat(preview.isFull()).isTrue();
        assertThat(text(preview)).contains("x".repeat(999) + "y");
        preview.add(ByteBuffer.wrap(new byte[] {'!'}));
        assertThat(text(preview)).contains("x".repeat(999) + "y");
    }
}
