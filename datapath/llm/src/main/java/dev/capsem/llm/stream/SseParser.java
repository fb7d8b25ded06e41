package dev.capsem.llm.stream;

import dev.capsem.llm.json.KnownNames;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// The format `text/event-stream`: lines end in LF, CR or CRLF; `data` lines of one event are joined by LF; a blank
/// line ends the event. The mark `[DONE]`, which is not JSON, is dropped. Bytes that lie in one chunk are not copied.
public final class SseParser {
    /// One line with its field name. A longer one costs its event.
    public static final int LINE_BYTES_MAX = 4 * 1024 * 1024;

    /// All data of one event; some providers repeat the whole conversation in the last one. More costs the event.
    public static final int EVENT_BYTES_MAX = 4 * 1024 * 1024;

    /// An event's name is a word. A longer one is cut.
    private static final int TYPE_BYTES_MAX = 128;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHS = 0x8080_8080_8080_8080L;
    private static final byte[] DATA = {'d', 'a', 't', 'a'};
    private static final byte[] EVENT = {'e', 'v', 'e', 'n', 't'};
    private static final byte[] DONE = {'[', 'D', 'O', 'N', 'E', ']'};
    private static final byte[] LF = {'\n'};
    private static final byte[] NONE = {};

    private final KnownNames types;
    private final PieceSink sink;
    private final ByteRun line = new ByteRun(LINE_BYTES_MAX);
    private final ByteRun joined = new ByteRun(EVENT_BYTES_MAX);

    private boolean isFirstLine = true;
    private boolean isLineOversized;
    private boolean isAfterCr;

    private String type = "";
    private boolean hasData;
    private boolean isEventOversized;

    /// The data of an event with one `data` line that lies in the chunk at hand; else it is in `joined`.
    private byte[] only = NONE;

    private int onlyFrom;
    private int onlyTo;
    private boolean isJoined;

    /// @param types names that events usually have
    public SseParser(KnownNames types, PieceSink sink) {
        this.types = types;
        this.sink = sink;
    }

    public void feed(byte[] buffer, int from, int to) {
        int start = from;
        if (isAfterCr && start < to) {
            isAfterCr = false;
            start += buffer[start] == '\n' ? 1 : 0;
        }
        while (start < to) {
            int lineEnd = endOfLine(buffer, start, to);
            if (lineEnd == to) {
                keep(buffer, start, to);
                break;
            }
            finishLine(buffer, start, lineEnd);
            start = lineEnd + 1;
            if (buffer[lineEnd] == '\r') {
                if (start == to) {
                    isAfterCr = true;
                } else if (buffer[start] == '\n') {
                    start++;
                }
            }
        }
        keepData();
    }

    /// The stream is over: what it left open counts as ended.
    public void finish() {
        if (!line.isEmpty() || isLineOversized) {
            finishLine(NONE, 0, 0);
        }
        dispatch();
    }

    /// The first LF or CR from here on, or `to`: eight bytes at a time.
    private static int endOfLine(byte[] buffer, int from, int to) {
        int i = from;
        for (; i <= to - Long.BYTES; i += Long.BYTES) {
            long eight = (long) LONGS.get(buffer, i);
            long feeds = eight ^ (ONES * '\n');
            long returns = eight ^ (ONES * '\r');
            long found = (((feeds - ONES) & ~feeds) | ((returns - ONES) & ~returns)) & HIGHS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (i < to && buffer[i] != '\n' && buffer[i] != '\r') {
            i++;
        }
        return i;
    }

    private void keep(byte[] buffer, int from, int to) {
        if (!isLineOversized && !line.add(buffer, from, to)) {
            isLineOversized = true;
            line.clear();
        }
    }

    private void finishLine(byte[] buffer, int from, int to) {
        if (line.isEmpty() && !isLineOversized && to - from <= LINE_BYTES_MAX) {
            field(buffer, from, to);
            return;
        }
        keep(buffer, from, to);
        if (isLineOversized) {
            isLineOversized = false;
            isFirstLine = false;
            isEventOversized = true;
        } else {
            // Data of this line must not stay in the store that the next line goes to.
            field(line.bytes(), 0, line.length());
            keepData();
        }
        line.clear();
    }

    private void field(byte[] buffer, int lineFrom, int to) {
        int from = lineFrom;
        if (isFirstLine) {
            isFirstLine = false;
            boolean hasMark = to - from >= 3
                    && buffer[from] == (byte) 0xEF
                    && buffer[from + 1] == (byte) 0xBB
                    && buffer[from + 2] == (byte) 0xBF;
            from += hasMark ? 3 : 0;
        }
        if (from == to) {
            dispatch();
        } else if (isField(DATA, buffer, from, to)) {
            data(buffer, value(buffer, from + DATA.length, to), to);
        } else if (isField(EVENT, buffer, from, to)) {
            int start = value(buffer, from + EVENT.length, to);
            type = type(buffer, start, Math.min(to, start + TYPE_BYTES_MAX));
        }
    }

    private static boolean isField(byte[] name, byte[] buffer, int from, int to) {
        if (to - from < name.length) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            if (buffer[from + i] != name[i]) {
                return false;
            }
        }
        return to - from == name.length || buffer[from + name.length] == ':';
    }

    /// Where the value starts, given where the field's name ends.
    private static int value(byte[] buffer, int nameEnd, int to) {
        int start = Math.min(to, nameEnd + 1);
        return start < to && buffer[start] == ' ' ? start + 1 : start;
    }

    private String type(byte[] buffer, int from, int to) {
        String known = types.find(buffer, from, to);
        return known.isEmpty() ? new String(buffer, from, to - from, StandardCharsets.UTF_8) : known;
    }

    private void data(byte[] buffer, int from, int to) {
        if (isEventOversized) {
            return;
        }
        if (!hasData && to - from <= EVENT_BYTES_MAX) {
            hasData = true;
            only = buffer;
            onlyFrom = from;
            onlyTo = to;
            return;
        }
        boolean isFirst = !hasData;
        keepData();
        hasData = true;
        isJoined = true;
        if (!(isFirst || joined.add(LF, 0, 1)) || !joined.add(buffer, from, to)) {
            isEventOversized = true;
            joined.clear();
        }
    }

    /// Copies data that lies in a buffer which is about to change.
    private void keepData() {
        if (hasData && !isJoined) {
            isJoined = true;
            joined.add(only, onlyFrom, onlyTo);
            only = NONE;
        }
    }

    private void dispatch() {
        if (isEventOversized) {
            sink.oversized(type);
        } else if (hasData && isJoined) {
            piece(joined.bytes(), 0, joined.length());
        } else if (hasData) {
            piece(only, onlyFrom, onlyTo);
        }
        type = "";
        hasData = false;
        isJoined = false;
        isEventOversized = false;
        only = NONE;
        if (!joined.isEmpty()) {
            joined.clear();
        }
    }

    private void piece(byte[] buffer, int from, int to) {
        boolean isDone = to - from == DONE.length && matches(DONE, buffer, from);
        if (!isDone) {
            sink.piece(type, buffer, from, to);
        }
    }

    private static boolean matches(byte[] expected, byte[] buffer, int from) {
        for (int i = 0; i < expected.length; i++) {
            if (buffer[from + i] != expected[i]) {
                return false;
            }
        }
        return true;
    }
}
