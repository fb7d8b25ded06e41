package dev.capsem.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LineIndexTest {
    @Test
    void everyOffsetGoesToAPositionAndBack() {
        String text = "a\n\nbc\n" + "x\n".repeat(40) + "end";
        LineIndex lines = new LineIndex(text);

        for (int offset = 0; offset <= text.length(); offset++) {
            assertThat(lines.offset(lines.position(offset))).isEqualTo(offset);
        }
        assertThat(lines.position(3)).isEqualTo(new Position(3, 1));
        assertThat(lines.position(4)).isEqualTo(new Position(3, 2));
    }

    @Test
    void aPositionBeyondTheTextIsItsNearestOffset() {
        LineIndex lines = new LineIndex("ab\ncd");

        assertThat(lines.offset(new Position(9, 1))).isEqualTo(3);
        assertThat(lines.offset(new Position(2, 99))).isEqualTo(5);
        assertThat(lines.offset(new Position(0, 1))).isZero();
    }
}
