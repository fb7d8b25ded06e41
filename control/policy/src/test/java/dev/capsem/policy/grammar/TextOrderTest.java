package dev.capsem.policy.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextOrderTest {
    @Test
    void ordersAsTheUnicodeRootCollationDoesForAscii() {
        List<String> ordered = List.of(
                "_", "-", ",", ".", "*", "/", "$", "0", "9", "a", "A", "A_B", "A.B", "AB", "aB1", "b", "B", "z", "Z");
        List<String> shuffled = new ArrayList<>(ordered);
        Collections.reverse(shuffled);

        shuffled.sort(TextOrder.INSTANCE);

        assertThat(shuffled).isEqualTo(ordered);
    }

    @Test
    void putsAPrefixBeforeWhatItBegins() {
        assertThat(TextOrder.INSTANCE.compare("/workspace/", "/workspace/-out")).isNegative();
        assertThat(TextOrder.INSTANCE.compare("/WORKSPACE/", "/workspace/-out")).isNegative();
    }
}
