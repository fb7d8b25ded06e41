package dev.capsem.policy.json;

import java.util.Arrays;

/// Turns offsets into lines and columns in logarithmic time: a manifest may have many thousand problems.
public final class LineIndex {
    private final int[] lineStarts;

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
    }

    public JsonDocument.Place placeOf(int offset) {
        int found = Arrays.binarySearch(lineStarts, offset);
        int line = found >= 0 ? found : -found - 2;
        return new JsonDocument.Place(line + 1, offset - lineStarts[line] + 1);
    }
}
