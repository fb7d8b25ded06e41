package dev.capsem.client.io;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// A streamed answer, line by line, at the pace of the reader. Used for NDJSON and server-sent events.
public final class LineStream implements Closeable {
    /// The longest event: an exec event of 64 KiB output in base64, or a recorded event with its previews.
    private static final int LINE_BYTES_MAX = 4 * 1_048_576;

    private final HttpConnection connection;
    private final InputStream body;

    LineStream(HttpConnection connection, InputStream body) {
        this.connection = connection;
        this.body = new BufferedInputStream(body, 65_536);
    }

    /// The next line without its end; empty when the stream is over or was cut.
    public Optional<byte[]> next() {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        try {
            for (int value = body.read(); value != '\n'; value = body.read()) {
                if (value < 0 || line.size() == LINE_BYTES_MAX) {
                    return Optional.empty();
                }
                line.write(value);
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return Optional.of(line.toByteArray());
    }

    @Override
    public void close() {
        connection.close();
    }
}
