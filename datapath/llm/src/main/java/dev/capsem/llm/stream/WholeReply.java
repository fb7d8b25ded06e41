package dev.capsem.llm.stream;

/// A reply that is one JSON text: kept until it is over.
public final class WholeReply {
    /// What is inspected of any body. A longer reply is not understood; it still flows.
    public static final int BYTES_MAX = 10 * 1024 * 1024;

    private final PieceSink sink;
    private final ByteRun kept = new ByteRun(BYTES_MAX);
    private boolean isOversized;

    public WholeReply(PieceSink sink) {
        this.sink = sink;
    }

    public void feed(byte[] buffer, int from, int to) {
        if (!isOversized && !kept.add(buffer, from, to)) {
            isOversized = true;
            kept.clear();
        }
    }

    public void finish() {
        if (isOversized) {
            sink.oversized("");
        } else {
            sink.piece("", kept.bytes(), 0, kept.length());
        }
        kept.clear();
    }
}
