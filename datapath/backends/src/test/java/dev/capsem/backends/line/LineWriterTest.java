package dev.capsem.backends.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LineWriterTest {
    @Test
    void linesComeOutInOrderAndAllOfThem() {
        var out = new ByteArrayOutputStream();
        LineWriter writer = new LineWriter(out);

        for (int i = 0; i < 1_000; i++) {
            writer.write(Integer.toString(i).getBytes(StandardCharsets.UTF_8));
        }
        writer.finish();

        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .hasSize(1_000)
                .startsWith("0", "1")
                .endsWith("999");
    }

    @Test
    void aReaderThatIsGoneHoldsUpNobodyAndNotTheEnd() {
        LineWriter writer = new LineWriter(new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("broken pipe");
            }
        });

        for (int i = 0; i < 2_000; i++) {
            writer.write(new byte[1_000]);
        }

        writer.finish();
        assertThat(writer.offer(new byte[1])).isFalse();
    }
}
