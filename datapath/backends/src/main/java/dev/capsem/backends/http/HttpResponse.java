package dev.capsem.backends.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/// A server's answer; its body is still on the wire. Closing it early gives up the connection.
public final class HttpResponse implements AutoCloseable {
    private final HttpHead head;
    private final BodyStream body;
    private final Runnable onClose;
    private boolean isClosed;

    HttpResponse(HttpHead head, BodyStream body, Runnable onClose) {
        this.head = head;
        this.body = body;
        this.onClose = onClose;
    }

    public int status() {
        return head.status();
    }

    public String reason() {
        return head.reason();
    }

    public HttpFields fields() {
        return head.fields();
    }

    public InputStream body() {
        return body;
    }

    /// All of the body. Throws if it is larger.
    public byte[] bytes(int bytesMax) throws IOException {
        var bytes = new ByteArrayOutputStream();
        byte[] chunk = new byte[16 * 1024];
        for (int count = body.read(chunk); count >= 0; count = body.read(chunk)) {
            bytes.write(chunk, 0, count);
            if (bytes.size() > bytesMax) {
                throw new IOException("the server's answer is larger than " + bytesMax + " bytes");
            }
        }
        return bytes.toByteArray();
    }

    /// Once is enough: the connection may be somebody else's from here on.
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        onClose.run();
    }
}
