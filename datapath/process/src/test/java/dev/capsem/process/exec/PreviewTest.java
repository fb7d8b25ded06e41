package dev.capsem.process.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class PreviewTest {
    @Test
    void keepsTheBeginningOnly() {
        Preview preview = new Preview();
        preview.add("a".repeat(4_000).getBytes(StandardCharsets.UTF_8));
        preview.add("b".repeat(4_000).getBytes(StandardCharsets.UTF_8));

        assertThat(preview.text()).contains("a".repeat(4_000) + "b".repeat(96));
    }

    @Test
    void leavesOutACharacterCutAtTheEnd() {
        Preview preview = new Preview();
        preview.add(("x" + "ä".repeat(3_000)).getBytes(StandardCharsets.UTF_8));

        assertThat(preview.text()).contains("x" + "ä".repeat(2_047));
    }

    @Test
    void replacesWhatIsNotText() {
        Preview preview = new Preview();
        preview.add(new byte[] {'a', (byte) 0xff, 'b'});

        assertThat(preview.text()).contains("a\uFFFDb");
    }

    @Test
    void nothingIsAbsent() {
        assertThat(new Preview().text()).isEmpty();
    }
}
