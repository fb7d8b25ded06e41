package dev.capsem.backends.io;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Asks the host at the other end of a Unix socket to connect: `CONNECT host:port`, as any HTTP proxy understands it.
/// What flows afterwards is between us and that host; with TLS, nobody in between can read it.
public final class TunnelDialer implements Dialer {
    private static final int ANSWER_BYTES_MAX = 4 * 1024;

    private final Path socket;

    public TunnelDialer(Path socket) {
        this.socket = socket;
    }

    @Override
    public ChannelSocket dial(String host, int port) throws IOException {
        ChannelSocket tunnel = ChannelSocket.connect(socket);
        try {
            String target = (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
            OutputStream out = tunnel.getOutputStream();
            out.write(("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            String answer = head(tunnel.getInputStream());
            if (answer.startsWith("HTTP/1.1 502 ")) {
                throw new IOException("the host cannot reach " + target + ": "
                        + answer.substring("HTTP/1.1 502 ".length()).trim());
            }
            if (!answer.startsWith("HTTP/1.1 200") && !answer.startsWith("HTTP/1.0 200")) {
                throw new IOException("the host does not let this program reach " + target);
            }
            return tunnel;
        } catch (IOException e) {
            tunnel.close();
            throw e;
        }
    }

    /// Byte by byte: what follows the empty line belongs to the tunnel.
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0 || head.length() > ANSWER_BYTES_MAX) {
                throw new IOException("the tunnel gave no answer");
            }
            head.append((char) next);
        }
        return head.toString();
    }
}
