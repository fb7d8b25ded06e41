package dev.capsem.llm.stream;

/// JSON objects one after another, as lines of their own or not. Anything between two of them is passed over. Brackets
/// and strings are followed only as far as is needed to find where an object ends.
public final class SequenceParser {
    /// One object. A longer one is lost, the next ones are not.
    public static final int OBJECT_BYTES_MAX = SseParser.EVENT_BYTES_MAX;

    private final OpenPiece object;
    private int depth;
    private boolean isInString;
    private boolean isEscaped;

    public SequenceParser(PieceSink sink) {
        this.object = new OpenPiece(OBJECT_BYTES_MAX, sink);
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
                        object.finish(buffer, start, i + 1);
                    }
                    depth = Math.max(0, depth - 1);
                }
                default -> {}
            }
        }
        if (depth > 0) {
            object.keep(buffer, start, to);
        }
    }

    /// The reply is over: an object it left open is handed on as it is.
    public void finish() {
        if (depth > 0) {
            object.finish();
        }
    }
}
