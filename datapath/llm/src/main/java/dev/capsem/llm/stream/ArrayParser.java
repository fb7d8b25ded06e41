package dev.capsem.llm.stream;

/// A JSON array whose elements come one by one over time. Brackets and strings are followed only as far as is needed
/// to find where an element ends; whether it is JSON is for its reader to say.
public final class ArrayParser {
    /// One element. A longer one is lost, the next ones are not.
    public static final int ELEMENT_BYTES_MAX = SseParser.EVENT_BYTES_MAX;

    private final OpenPiece element;
    private int depth;
    private boolean isInString;
    private boolean isEscaped;

    public ArrayParser(PieceSink sink) {
        this.element = new OpenPiece(ELEMENT_BYTES_MAX, new WithoutBlanks(sink));
    }

    /// Requires: the bytes start with the array's opening bracket.
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
                case '"' -> isInString = true;
                case '{', '[' -> {
                    if (++depth == 1) {
                        start = i + 1;
                    }
                }
                case '}', ']' -> {
                    if (depth == 1) {
                        element.finish(buffer, start, i);
                        start = to;
                    }
                    depth = Math.max(0, depth - 1);
                }
                case ',' -> {
                    if (depth == 1) {
                        element.finish(buffer, start, i);
                        start = i + 1;
                    }
                }
                default -> {}
            }
        }
        if (depth > 0) {
            element.keep(buffer, start, to);
        }
    }

    /// The reply is over: an element it left open is handed on as it is.
    public void finish() {
        if (depth > 0) {
            element.finish();
        }
    }

    /// Of an empty array nothing is an element.
    private record WithoutBlanks(PieceSink sink) implements PieceSink {
        @Override
        public void piece(String name, byte[] buffer, int from, int to) {
            for (int i = from; i < to; i++) {
                if (buffer[i] != ' ' && buffer[i] != '\n' && buffer[i] != '\r' && buffer[i] != '\t') {
                    sink.piece(name, buffer, from, to);
                    return;
                }
            }
        }

        @Override
        public void oversized(String name) {
            sink.oversized(name);
        }
    }
}
