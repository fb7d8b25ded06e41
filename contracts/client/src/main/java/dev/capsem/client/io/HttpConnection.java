package dev.capsem.client.io;

import dev.capsem.wire.io.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// HTTP/1.1 on one Unix socket: one request, then its whole answer, then perhaps the next. Not thread-safe, except that
/// after an upgrade one thread may read while another writes. The peer is our own service, so this reads what a correct
/// server sends and fails on anything else.
final class HttpConnection implements Closeable {
    private static final int HEAD_BYTES_MAX = 65_536;
    private static final int BUFFER_BYTES = 65_536;

    private final SocketChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).flip();

    private HttpConnection(SocketChannel channel) {
        this.channel = channel;
    }

    static HttpConnection open(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return new HttpConnection(channel);
    }

    Deadline closesAfter(Duration time) {
        return Deadline.of(channel, time);
    }

    /// An answer whose body is read from the connection; the body must reach its end before the next request.
    ///
    /// @param headers by lower-case name
    record Reply(int status, Map<String, String> headers, InputStream body, boolean reusable) {}

    /// True when the peer closed an idle connection, or sent what nobody asked for.
    boolean isStale() {
        if (buffer.hasRemaining()) {
            return true;
        }
        try {
            channel.configureBlocking(false);
            try {
                buffer.clear();
                return channel.read(buffer) != 0;
            } finally {
                buffer.clear().flip();
                channel.configureBlocking(true);
            }
        } catch (IOException e) {
            return true;
        }
    }

    void send(String method, String target, Map<String, String> headers, byte[] body) throws IOException {
        StringBuilder head = new StringBuilder(256)
                .append(method)
                .append(' ')
                .append(target)
                .append(" HTTP/1.1\r\nHost: capsem\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        if (body.length > 0 || method.equals("POST")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        head.append("\r\n");
        byte[] headBytes = head.toString().getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer[] parts = {ByteBuffer.wrap(headBytes), ByteBuffer.wrap(body)};
        while (parts[0].hasRemaining() || parts[1].hasRemaining()) {
            channel.write(parts);
        }
    }

    Reply receive(boolean toHead) throws IOException {
        String[] statusLine = line().split(" ", 3);
        if (statusLine.length < 2 || !statusLine[0].equals("HTTP/1.1")) {
            throw new IOException("the answer is not HTTP/1.1");
        }
        int status = Integer.parseInt(statusLine[1]);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new IOException("malformed header in the answer");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        boolean close = "close".equalsIgnoreCase(headers.getOrDefault("connection", ""));
        if (toHead || status == 101 || status == 204 || status == 304) {
            return new Reply(status, headers, InputStream.nullInputStream(), !close);
        }
        if ("chunked".equalsIgnoreCase(headers.getOrDefault("transfer-encoding", ""))) {
            return new Reply(status, headers, new ChunkedBody(), !close);
        }
        String length = headers.get("content-length");
        return length == null
                ? new Reply(status, headers, new SizedBody(Long.MAX_VALUE), false)
                : new Reply(status, headers, new SizedBody(Long.parseLong(length)), !close);
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(80);
        for (int value = read(); value != '\n'; value = read()) {
            if (value < 0) {
                throw new EOFException("the service closed the connection");
            }
            if (line.size() == HEAD_BYTES_MAX) {
                throw new IOException("a header line of the answer is longer than " + HEAD_BYTES_MAX + " bytes");
            }
            line.write(value);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private boolean fill() throws IOException {
        if (buffer.hasRemaining()) {
            return true;
        }
        buffer.clear();
        int count = channel.read(buffer);
        buffer.flip();
        return count > 0;
    }

    private int read() throws IOException {
        return fill() ? buffer.get() & 0xFF : -1;
    }

    /// Up to `length` bytes; -1 at the end of the stream.
    int read(byte[] target, int offset, int length) throws IOException {
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, buffer.remaining());
        buffer.get(target, offset, count);
        return count;
    }

    void readFully(byte[] target) throws IOException {
        int offset = 0;
        while (offset < target.length) {
            int count = read(target, offset, target.length - offset);
            if (count < 0) {
                throw new EOFException("the service closed the connection");
            }
            offset += count;
        }
    }

    void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing was promised about a connection that is being given up.
        }
    }

    private final class SizedBody extends InputStream {
        private long left;

        SizedBody(long size) {
            this.left = size;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left == 0 || length == 0) {
                return left == 0 ? -1 : 0;
            }
            int count = HttpConnection.this.read(target, offset, (int) Math.min(length, left));
            if (count < 0) {
                if (left > Integer.MAX_VALUE) {
                    return -1;
                }
                throw new EOFException("the answer was cut short");
            }
            left -= count;
            return count;
        }
    }

    private final class ChunkedBody extends InputStream {
        private @Nullable SizedBody chunk;
        private boolean ended;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            while (!ended) {
                SizedBody current = chunk;
                if (current == null) {
                    current = nextChunk();
                }
                int count = current.read(target, offset, length);
                if (count >= 0) {
                    return count;
                }
                chunk = null;
                line();
            }
            return -1;
        }

        private SizedBody nextChunk() throws IOException {
            String size = line();
            int extension = size.indexOf(';');
            long bytes = Long.parseLong(extension < 0 ? size : size.substring(0, extension), 16);
            SizedBody next = new SizedBody(bytes);
            chunk = next;
            ended = bytes == 0;
            return next;
        }
    }
}
