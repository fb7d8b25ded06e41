package dev.capsem.cli.sandboxes;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;

/// Bytes that another thread reads from our stdin, for whoever asks a person something afterwards. An empty piece
/// is the end.
final class LateKeys extends InputStream {
    private final BlockingQueue<byte[]> pieces;
    private byte[] piece = new byte[0];
    private int position;
    private boolean isEnded;

    LateKeys(BlockingQueue<byte[]> pieces) {
        this.pieces = pieces;
    }

    @Override
    public int read() throws IOException {
        await();
        return isEnded ? -1 : piece[position++] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        await();
        if (isEnded) {
            return -1;
        }
        int count = Math.min(length, piece.length - position);
        System.arraycopy(piece, position, target, offset, count);
        position += count;
        return count;
    }

    private void await() throws IOException {
        while (position == piece.length && !isEnded) {
            try {
                piece = pieces.take();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for a key");
            }
            position = 0;
            isEnded = piece.length == 0;
        }
    }
}
