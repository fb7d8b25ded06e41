package dev.capsem.llm.stream;

/// The piece of a stream that is being read: handed on from where it lies if it came at once, gathered if it did not.
/// One that is too long is lost, the next ones are not.
final class OpenPiece {
    private final int bytesMax;
    private final PieceSink sink;
    private final ByteRun gathered;
    private boolean isOversized;

    OpenPiece(int bytesMax, PieceSink sink) {
        this.bytesMax = bytesMax;
        this.sink = sink;
        this.gathered = new ByteRun(bytesMax);
    }

    /// More of it, and not the end.
    void keep(byte[] buffer, int from, int to) {
        if (!isOversized && from < to && !gathered.add(buffer, from, to)) {
            isOversized = true;
            gathered.clear();
        }
    }

    /// The last of it.
    void finish(byte[] buffer, int from, int to) {
        boolean isWhole = gathered.isEmpty() && !isOversized && to - from <= bytesMax;
        if (isWhole) {
            sink.piece("", buffer, from, to);
            return;
        }
        keep(buffer, from, to);
        if (isOversized) {
            sink.oversized("");
        } else {
            sink.piece("", gathered.bytes(), 0, gathered.length());
        }
        isOversized = false;
        gathered.clear();
    }

    /// There is no more: hands on what is there.
    void finish() {
        finish(gathered.bytes(), 0, 0);
    }
}
