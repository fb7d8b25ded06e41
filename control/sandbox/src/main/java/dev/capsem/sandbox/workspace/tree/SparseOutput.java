package dev.capsem.sandbox.workspace.tree;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;

/// Writes a file and leaves a hole for each piece that is all zeros: a guest's file with holes takes no more room on
/// the host than it does inside.
public final class SparseOutput extends OutputStream {
    private final SeekableByteChannel file;
    private long end;

    /// @param file empty, and closed with this
    public SparseOutput(SeekableByteChannel file) {
        this.file = file;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one});
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        if (!isZero(bytes, from, length)) {
            file.position(end);
            ByteBuffer piece = ByteBuffer.wrap(bytes, from, length);
            while (piece.hasRemaining()) {
                file.write(piece);
            }
        }
        end += length;
    }

    private static boolean isZero(byte[] bytes, int from, int length) {
        for (int at = from; at < from + length; at++) {
            if (bytes[at] != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        try (file) {
            if (file.size() < end) {
                // The last byte gives the file its size.
                file.position(end - 1);
                file.write(ByteBuffer.wrap(new byte[1]));
            }
        }
    }
}
