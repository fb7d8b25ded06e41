package dev.capsem.source;

import java.util.Arrays;

/// Turns offsets into lines and columns, and back, in logarithmic time: a manifest may have many thousand problems.
public final class LineIndex {
    private final int[] lineStarts;
    private final int length;

    public LineIndex(String text) {
        int[] starts = new int[16];
        int lines = 1;
        for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
            if (lines == starts.length) {
                starts = Arrays.copyOf(starts, lines * 2);
            }
            starts[lines++] = at + 1;
        }
        this.lineStarts = Arrays.copyOf(starts, lines);
        this.length = text.length();
    }

    public Position position(int offset) {
        int found = Arrays.binarySearch(lineStarts, offset);
        int line = found >= 0 ? found : -found - 2;
        return new Position(line + 1, offset - lineStarts[line] + 1);
    }

    /// The offset of a position, or the nearest one that the text has.
    public int offset(Position position) {
        int line = Math.clamp(position.line(), 1, lineStarts.length);
        return Math.min(length, lineStarts[line - 1] + position.column() - 1);
    }
}
