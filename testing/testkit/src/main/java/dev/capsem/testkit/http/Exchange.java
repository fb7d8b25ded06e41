package dev.capsem.testkit.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One request and its answer. The body comes as a stream; what a handler leaves unread is read after it.
public final class Exchange {
    /// Bodies larger than this are counted and hashed, not kept.
    private static final int KEPT_BYTES_MAX = 1024 * 1024;

    private final int connection;
    private final Optional<String> serverName;
    private final String head;
    private final String method;
    private final String target;
    private final List<Received.Header> headers = new ArrayList<>();
    private final BodyStream body;
    private final OutputStream out;
    private final Socket socket;
    private boolean isLast;

    Exchange(
            int connection, Optional<String> serverName, String head, InputStream in, OutputStream out, Socket socket) {
        this.connection = connection;
        this.serverName = serverName;
        this.head = head;
        this.out = out;
        this.socket = socket;
        String[] lines = head.split("\r?\n");
        String[] words = lines[0].split(" ");
        this.method = words[0];
        this.target = words.length > 1 ? words[1] : "";
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.add(new Received.Header(
                        lines[i].substring(0, colon),
                        lines[i].substring(colon + 1).trim()));
            }
        }
        this.isLast = header("connection").filter("close"::equalsIgnoreCase).isPresent();
        boolean isChunked =
                header("transfer-encoding").filter("chunked"::equalsIgnoreCase).isPresent();
        long length = header("content-length").map(Long::parseLong).orElse(0L);
        this.body = new BodyStream(in, isChunked, length);
    }

    public String method() {
        return method;
    }

    public String target() {
        return target;
    }

    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    public Optional<String> header(String name) {
        return headers.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(Received.Header::value)
                .findFirst();
    }

    /// The body; asks a client that waits for it to go on.
    public InputStream body() throws IOException {
        if (header("expect").filter("100-continue"::equalsIgnoreCase).isPresent() && !body.isStarted()) {
            raw("HTTP/1.1 100 Continue\r\n\r\n");
        }
        return body;
    }

    public byte[] bodyBytes() throws IOException {
        return body().readAllBytes();
    }

    /// The whole answer. `headers` come as they are; the length is added.
    public void reply(int status, Map<String, String> headers, byte[] content) throws IOException {
        body().transferTo(OutputStream.nullOutputStream());
        StringBuilder text = start(status, headers);
        if (status != 204 && status != 304) {
            text.append("content-length: ").append(content.length).append("\r\n");
        }
        out.write(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        if (!method.equals("HEAD")) {
            out.write(content);
        }
        out.flush();
    }

    public void reply(int status, String contentType, String content) throws IOException {
        reply(status, Map.of("content-type", contentType), content.getBytes(StandardCharsets.UTF_8));
    }

    /// The head of an answer whose body follows in chunks; closing the stream ends it.
    public OutputStream chunked(int status, Map<String, String> headers) throws IOException {
        StringBuilder text = start(status, headers);
        raw(text.append("transfer-encoding: chunked\r\n\r\n").toString());
        return new ChunkedStream(out);
    }

    /// Bytes as they are: heads that lie, bodies that break, other protocols.
    public void raw(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /// The connection's own streams, for what is not HTTP any more. The connection ends with the handler.
    public InputStream takeInput() {
        isLast = true;
        return body.carrier();
    }

    public OutputStream takeOutput() {
        isLast = true;
        return out;
    }

    /// Ends the connection after this answer.
    public void last() {
        isLast = true;
    }

    /// Ends the connection at once with a reset, as a server that dies does.
    public void reset() throws IOException {
        isLast = true;
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private static StringBuilder start(int status, Map<String, String> headers) {
        StringBuilder text = new StringBuilder("HTTP/1.1 ").append(status).append(" Status\r\n");
        headers.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        return text;
    }

    boolean isLast() {
        return isLast;
    }

    void finish() throws IOException {
        if (!isLast) {
            body.transferTo(OutputStream.nullOutputStream());
        }
    }

    Received received() {
        return new Received(
                connection,
                serverName,
                method,
                target,
                headers,
                head,
                body.kept.toByteArray(),
                body.bytes,
                HexFormat.of().formatHex(body.digest()),
                body.isOver());
    }

    /// Reads one body and no byte more; counts and hashes what it reads.
    private static final class BodyStream extends InputStream {
        private final InputStream in;
        private final boolean isChunked;
        private final MessageDigest digest;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private long left;
        private long bytes;
        private boolean isOver;
        private boolean isFirstChunk = true;

        BodyStream(InputStream in, boolean isChunked, long length) {
            this.in = in;
            this.isChunked = isChunked;
            this.left = isChunked ? 0 : length;
            this.isOver = !isChunked && length == 0;
            try {
                digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        InputStream carrier() {
            return in;
        }

        boolean isStarted() {
            return bytes > 0 || isOver;
        }

        boolean isOver() {
            return isOver;
        }

        byte[] digest() {
            try {
                return ((MessageDigest) digest.clone()).digest();
            } catch (CloneNotSupportedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (!isOver && isChunked && left == 0) {
                nextChunk();
            }
            if (isOver) {
                return -1;
            }
            int count = in.read(buffer, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new IOException("the connection ended inside a body");
            }
            digest.update(buffer, offset, count);
            kept.write(buffer, offset, Math.min(count, Math.max(0, KEPT_BYTES_MAX - kept.size())));
            bytes += count;
            left -= count;
            isOver = !isChunked && left == 0;
            return count;
        }

        private void nextChunk() throws IOException {
            if (!isFirstChunk) {
                line();
            }
            isFirstChunk = false;
            left = Long.parseLong(line().split(";")[0].trim(), 16);
            if (left == 0) {
                while (!line().isEmpty()) {
                    // Trailers are part of the request, not of its body.
                }
                isOver = true;
            }
        }

        private String line() throws IOException {
            StringBuilder text = new StringBuilder();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new IOException("the connection ended inside a chunk's head");
                }
                text.append((char) next);
            }
            return text.toString().stripTrailing();
        }
    }

    /// Each flush is a chunk of its own.
    private static final class ChunkedStream extends OutputStream {
        private final OutputStream out;
        private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

        ChunkedStream(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int value) throws IOException {
            pending.write(value);
        }

        @Override
        public void write(byte[] buffer, int offset, int length) throws IOException {
            pending.write(buffer, offset, length);
            if (pending.size() >= 64 * 1024) {
                flush();
            }
        }

        @Override
        public void flush() throws IOException {
            if (pending.size() > 0) {
                out.write((Integer.toHexString(pending.size()) + "\r\n").getBytes(StandardCharsets.US_ASCII));
                pending.writeTo(out);
                out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
                pending.reset();
            }
            out.flush();
        }

        @Override
        public void close() throws IOException {
            flush();
            out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
        }
    }
}
