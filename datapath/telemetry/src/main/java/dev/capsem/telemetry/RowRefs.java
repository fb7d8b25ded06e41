package dev.capsem.telemetry;

import java.util.ArrayList;
import java.util.List;

/// Which rows a link of the chain seals, as text: `security_events:7 fs_events:12-40`. In the order in which they
/// were written, neighbours of one kind as a range.
public final class RowRefs {
    private final StringBuilder text = new StringBuilder();
    private String kind = "";
    private long first;
    private long last;

    /// One row: what `event_chain.row_refs` says about it.
    public record Ref(String kind, long id) {}

    public void clear() {
        text.setLength(0);
        kind = "";
    }

    public void add(String rowKind, long id) {
        if (rowKind.equals(kind) && id == last + 1) {
            last = id;
            return;
        }
        endRange();
        kind = rowKind;
        first = id;
        last = id;
    }

    public String text() {
        endRange();
        kind = "";
        return text.toString();
    }

    private void endRange() {
        if (kind.isEmpty()) {
            return;
        }
        if (!text.isEmpty()) {
            text.append(' ');
        }
        text.append(kind).append(':').append(first);
        if (last > first) {
            text.append('-').append(last);
        }
    }

    /// Throws [NumberFormatException] when the text is not of our making.
    public static List<Ref> parse(String text) {
        List<Ref> refs = new ArrayList<>();
        if (text.isEmpty()) {
            return refs;
        }
        for (String part : text.split(" ", -1)) {
            int colon = part.indexOf(':');
            int dash = part.indexOf('-', colon + 1);
            if (colon < 1) {
                throw new NumberFormatException("no row kind");
            }
            String kind = part.substring(0, colon);
            long first = Long.parseLong(part.substring(colon + 1, dash < 0 ? part.length() : dash));
            long last = dash < 0 ? first : Long.parseLong(part.substring(dash + 1));
            if (last < first || last - first > ROWS_PER_RANGE_MAX) {
                throw new NumberFormatException("no such range");
            }
            for (long id = first; id <= last; id++) {
                refs.add(new Ref(kind, id));
            }
        }
        return refs;
    }

    /// More than any exchange can hold; a forged range must not cost memory.
    private static final long ROWS_PER_RANGE_MAX = 1_000_000;
}
