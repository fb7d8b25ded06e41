package dev.capsem.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BenchArgumentsTest {
    private static final Set<String> KNOWN = Set.of("sandbox", "memory", "cli", "writer", "net");

    private static Optional<BenchArguments> parse(String... words) {
        return BenchArguments.parse(List.of(words), KNOWN);
    }

    @Test
    void measuresEverythingUnlessToldOtherwise() {
        BenchArguments all = parse().orElseThrow();

        assertThat(all.wants("memory")).isTrue();
        assertThat(all.json()).isEqualTo(Path.of("bench-results/latest.json"));
    }

    @Test
    void aQuickRunLeavesOutWhatTakesLong() {
        BenchArguments quick = parse("--quick").orElseThrow();

        assertThat(quick.wants("net")).isTrue();
        assertThat(quick.wants("memory")).isFalse();
        assertThat(parse("--quick", "memory").orElseThrow().wants("memory")).isTrue();
    }

    @Test
    void takesPartsAndFilesInAnyOrder() {
        BenchArguments asked = parse("--compare", "before.json", "net", "--json", "now.json", "cli")
                .orElseThrow();

        assertThat(asked.parts()).containsExactly("net", "cli");
        assertThat(asked.json()).isEqualTo(Path.of("now.json"));
        assertThat(asked.earlier()).contains(Path.of("before.json"));
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThat(parse("nothing")).isEmpty();
        assertThat(parse("--slow")).isEmpty();
        assertThat(parse("net", "--compare")).isEmpty();
    }
}
