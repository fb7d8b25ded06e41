package dev.capsem.network;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/// As little of an HTTP/1.1 client as a test needs: it sends bytes as given and reads one response at a time.
final class Http1Client implements AutoCloseable {
    record Response(int status, Map<String, String> headers, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private final Socket socket;
    private final InputStream in;

    Http1Client(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new java.io.BufferedInputStream(socket.getInputStream());
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    Response exchange(String request) throws IOException {
        send(request);
        return read(request.startsWith("HEAD "));
    }

    Response read(boolean isHead) throws IOException {
        String status = line();
        int code = Integer.parseInt(status.split(" ")[1]);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.merge(
                    line.substring(0, colon), line.substring(colon + 1).strip(), (first, next) -> first + ", " + next);
        }
        boolean isEmpty = isHead || code < 200 || code == 204 || code == 304;
        return new Response(code, headers, isEmpty ? new byte[0] : body(headers));
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
                out.writeBytes(exactly(size));
                line();
            }
            for (String trailer = line(); !trailer.isEmpty(); trailer = line()) {
                headers.put("trailer " + trailer.split(":")[0], trailer.split(":", 2)[1].strip());
            }
            return out.toByteArray();
        }
        String length = headers.get("content-length");
        return length == null ? in.readAllBytes() : exactly(Integer.parseInt(length));
    }

    private byte[] exactly(int size) throws IOException {
        byte[] bytes = in.readNBytes(size);
        if (bytes.length < size) {
            throw new EOFException("the body ended early");
        }
        return bytes;
    }

    InputStream stream() {
        return in;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the connection ended");
            }
            line.append((char) b);
        }
        return line.substring(0, Math.max(0, line.length() - 1));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
