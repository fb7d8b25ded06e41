package dev.capsem.exchange.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class OutputPreviewTest {
    @Test
    void keepsTheBeginningOnly() {
        OutputPreview preview = new OutputPreview();
        preview.add("a".repeat(4_000).getBytes(StandardCharsets.UTF_8));
        preview.add("b".repeat(4_000).getBytes(StandardCharsets.UTF_8));

        assertThat(preview.text()).contains("a".repeat(4_000) + "b".repeat(96));
    }

    @Test
    void leavesOutACharacterCutAtTheEnd() {
        OutputPreview preview = new OutputPreview();
        preview.add(("x" + "ä".repeat(3_000)).getBytes(StandardCharsets.UTF_8));

        assertThat(preview.text()).contains("x" + "ä".repeat(2_047));
    }

    @Test
    void replacesWhatIsNotText() {
        OutputPreview preview = new OutputPreview();
        preview.add(new byte[] {'a', (byte) 0xff, 'b'});

        assertThat(preview.text()).contains("a\uFFFDb");
    }

    @Test
    void nothingIsAbsent() {
        assertThat(new OutputPreview().text()).isEmpty();
    }
}
