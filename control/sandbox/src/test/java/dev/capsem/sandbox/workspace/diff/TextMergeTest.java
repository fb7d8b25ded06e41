package dev.capsem.sandbox.workspace.diff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextMergeTest {
    @Test
    void takesBothSidesWhereTheyDoNotMeet() {
        assertThat(TextMerge.of("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\ne\n"))
                .isEqualTo(new TextMerge.Merged("A\nb\nc\nD\ne\n"));
    }

    @Test
    void takesTheSameChangeOnce() {
        assertThat(TextMerge.of("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n")).isEqualTo(new TextMerge.Merged("a\nX\nc\n"));
    }

    @Test
    void neighbouringLinesMeet() {
        assertThat(TextMerge.of("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n"))
                .isEqualTo(new TextMerge.Conflict(List.of("line 1")));
    }

    @Test
    void namesEachPlaceOnce() {
        TextMerge merge =
                TextMerge.of("1\n2\n3\n4\n5\n6\n7\n8\n", "1\nu\nv\n4\n5\n6\nw\n8\n", "1\ng\n3\n4\n5\n6\nh\n8\n");

        assertThat(merge).isEqualTo(new TextMerge.Conflict(List.of("lines 2–3", "line 7")));
    }

    @Test
    void insertionsAtTheSamePlaceMeet() {
        assertThat(TextMerge.of("a\nb\n", "a\nx\nb\n", "a\ny\nb\n")).isInstanceOf(TextMerge.Conflict.class);
    }

    /// Whatever the texts are: one unchanged side gives the other, and the sides may be exchanged.
    @Test
    void anUnchangedSideGivesTheOther() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            String base = text(random);
            String other = text(random);
            assertThat(TextMerge.of(base, base, other)).as("seed %d", seed).isEqualTo(new TextMerge.Merged(other));
            assertThat(TextMerge.of(base, other, base)).as("seed %d", seed).isEqualTo(new TextMerge.Merged(other));
            assertThat(TextMerge.of(base, other, other)).as("seed %d", seed).isEqualTo(new TextMerge.Merged(other));
        }
    }

    private static String text(Random random) {
        var text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append((char) ('a' + random.nextInt(3))).append(i == 1 && random.nextBoolean() ? "" : "\n");
        }
        return text.toString();
    }
}
