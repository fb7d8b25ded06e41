package dev.capsem.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MachineTest {
    @Test
    void readsWhatTheKernelSays() {
        assertThat(Machine.processor(List.of("processor\t: 0", "model name\t: Quick 3000 @ 2 GHz")))
                .isEqualTo("Quick 3000 @ 2 GHz");
        assertThat(Machine.memory(List.of("MemTotal:       24689012 kB", "MemFree: 1 kB")))
                .isEqualTo(24_110);
        assertThat(Machine.load("1.25 0.80 0.40 2/512 12345\n")).isEqualTo(1.25);
    }

    @Test
    void saysThatOthersUseIt() {
        assertThat(new Machine("Quick 3000", 2, 24_000, "Linux 6", "25", 0.4).toString())
                .isEqualTo("Quick 3000, 2 cores, 24000 MB, Linux 6, Java 25, load 0.40");
        assertThat(new Machine("Quick 3000", 2, 24_000, "Linux 6", "25", 8.1).toString())
                .contains("load 8.10")
                .contains("read ratios");
    }

    @Test
    void comesBackFromItsJson() throws IOException {
        Machine here = Machine.here();

        assertThat(Machine.fromJson(here.toJson())).isEqualTo(here);
        assertThat(here.isLike(here)).isTrue();
        assertThat(here.isLike(new Machine("another", 64, 1, "", "", 0))).isFalse();
    }
}
