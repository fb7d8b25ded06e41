package dev.capsem.client.io;

import dev.capsem.client.SandboxService;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// A streamed answer as bytes, at the pace of the reader.
public final class ByteStream implements SandboxService.Download {
    private final HttpConnection connection;
    private final InputStream body;

    ByteStream(HttpConnection connection, InputStream body) {
        this.connection = connection;
        this.body = body;
    }

    /// Throws when the answer was cut.
    @Override
    public long writeTo(OutputStream out) throws IOException {
        return body.transferTo(out);
    }

    @Override
    public void close() {
        connection.close();
    }
}
