package dev.capsem.llm.stream;

/// JSON objects one after another, as lines of their own or not. Anything between two of them is passed over. Brackets
/// and strings are followed only as far as is needed to find where an object ends.
public final class SequenceParser {
    /// One object. A longer one is lost, the next ones are not.
    public static final int OBJECT_BYTES_MAX = SseParser.EVENT_BYTES_MAX;

    private final PieceSink sink;
    private final ByteRun object = new ByteRun(OBJECT_BYTES_MAX);
    private int depth;
    private boolean isInString;
    private boolean isEscaped;
    private boolean isOversized;

    public SequenceParser(PieceSink sink) {
        this.sink = sink;
    }

    public void feed(byte[] buffer, int from, int to) {
        int start = from;
        for (int i = from; i < to; i++) {
            byte next = buffer[i];
            if (isInString) {
                if (isEscaped) {
                    isEscaped = false;
                } else if (next == '\\') {
                    isEscaped = true;
                } else if (next == '"') {
                    isInString = false;
                }
                continue;
            }
            switch (next) {
                case '"' -> isInString = depth > 0;
                case '{', '[' -> {
                    if (depth++ == 0) {
                        start = i;
                    }
                }
                case '}', ']' -> {
                    if (depth == 1) {
                        finishObject(buffer, start, i + 1);
                    }
                    depth = Math.max(0, depth - 1);
                }
                default -> {}
            }
        }
        if (depth > 0) {
            keep(buffer, start, to);
        }
    }

    /// The reply is over: an object it left open is handed on as it is.
    public void finish() {
        if (depth > 0) {
            finishObject(object.bytes(), 0, 0);
        }
    }

    private void keep(byte[] buffer, int from, int to) {
        if (!isOversized && from < to && !object.add(buffer, from, to)) {
            isOversized = true;
            object.clear();
        }
    }

    private void finishObject(byte[] buffer, int from, int to) {
        boolean isWhole = object.isEmpty() && !isOversized && to - from <= OBJECT_BYTES_MAX;
        if (isWhole) {
            sink.piece("", buffer, from, to);
            return;
        }
        keep(buffer, from, to);
        if (isOversized) {
            sink.oversized("");
        } else {
            sink.piece("", object.bytes(), 0, object.length());
        }
        isOversized = false;
        object.clear();
    }
}
