package dev.capsem.backends.http;

import java.io.IOException;
import java.io.InputStream;

/// The body of a response as its framing says: chunked, of a known length, or until the connection ends.
final class BodyStream extends InputStream {
    private static final int UNTIL_CLOSE = -1;
    private static final int CHUNK_LINE_BYTES_MAX = 1024;

    private final InputStream in;
    private final boolean isChunked;
    private long left;
    private boolean isOver;
    private boolean isFirstChunk = true;

    private BodyStream(InputStream in, boolean isChunked, long left) {
        this.in = in;
        this.isChunked = isChunked;
        this.left = left;
        this.isOver = !isChunked && left == 0;
    }

    static BodyStream of(InputStream in, String method, HttpHead head) throws IOException {
        if (method.equals("HEAD") || head.status() == 204 || head.status() == 304) {
            return new BodyStream(in, false, 0);
        }
        var coding = head.fields().first("transfer-encoding");
        if (coding.isPresent()) {
            if (!coding.get().equalsIgnoreCase("chunked")) {
                throw new IOException("the server uses a transfer coding that was not requested");
            }
            return new BodyStream(in, true, 0);
        }
        var length = head.fields().first("content-length");
        if (length.isEmpty()) {
            return new BodyStream(in, false, UNTIL_CLOSE);
        }
        if (!length.get().matches("[0-9]{1,18}")) {
            throw new IOException("the server sent a broken length");
        }
        return new BodyStream(in, false, Long.parseLong(length.get()));
    }

    /// Whether all of it was read and another response may follow.
    boolean isComplete() {
        return isOver && left != UNTIL_CLOSE;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (isChunked && !isOver && left == 0) {
            nextChunk();
        }
        if (isOver) {
            return -1;
        }
        int wanted = left == UNTIL_CLOSE ? length : (int) Math.min(length, left);
        int count = in.read(into, offset, wanted);
        if (count < 0) {
            if (left != UNTIL_CLOSE) {
                throw new IOException("the server closed the connection inside a body");
            }
            isOver = true;
            return -1;
        }
        if (left != UNTIL_CLOSE) {
            left -= count;
            isOver = !isChunked && left == 0;
        }
        return count;
    }

    private void nextChunk() throws IOException {
        HttpHead.Budget budget = new HttpHead.Budget(CHUNK_LINE_BYTES_MAX);
        if (!isFirstChunk && !HttpHead.line(in, budget).isEmpty()) {
            throw new IOException("the server sent a broken chunk");
        }
        isFirstChunk = false;
        String size = HttpHead.line(in, budget).split(";", 2)[0].strip();
        if (!size.matches("[0-9A-Fa-f]{1,15}")) {
            throw new IOException("the server sent a broken chunk");
        }
        left = Long.parseLong(size, 16);
        if (left == 0) {
            HttpHead.Budget trailers = new HttpHead.Budget(HttpHead.BYTES_MAX);
            while (!HttpHead.line(in, trailers).isEmpty()) {
                // Trailers say nothing that we need.
            }
            isOver = true;
        }
    }
}
