package dev.capsem.backends.upstream;

import dev.capsem.backends.io.Link;
import dev.capsem.wire.aggregator.LineSplitter;
import dev.capsem.wire.aggregator.LineSplitter.Cut;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;

/// MCP as stdio servers speak it, over a socket that the host connected to one. Many clients share it: ids keep them
/// apart.
final class LineTransport implements Transport {
    private static final int READ_BYTES = 16 * 1024;

    private final Link link;
    private final Inbox inbox;
    /// One line at a time.
    private final ReentrantLock writing = new ReentrantLock();

    private LineTransport(Link link, Inbox inbox) {
        this.link = link;
        this.inbox = inbox;
    }

    static LineTransport start(Link link, Inbox inbox) {
        LineTransport transport = new LineTransport(link, inbox);
        Thread.ofVirtual().name("mcp-lines").start(transport::read);
        return transport;
    }

    private void read() {
        LineSplitter lines = new LineSplitter(JsonRpc.MESSAGE_BYTES_MAX);
        byte[] chunk = new byte[READ_BYTES];
        try (InputStream in = link.input()) {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                lines.feed(chunk, count, this::received);
            }
            inbox.lost("the server closed the connection");
        } catch (IOException e) {
            inbox.lost("the connection broke");
        }
    }

    /// A line that is no message is the server's own chatter; a line that is too long answers nobody, and whoever
    /// waits for it gives up in time.
    private void received(Cut cut) {
        if (cut instanceof Cut.Line(byte[] line)
                && JsonRpc.parse(line) instanceof Parsed.Valid(JsonRpcMessage message)) {
            inbox.received(message, OptionalLong.empty());
        }
    }

    @Override
    public void send(JsonRpcMessage message, OptionalLong call, Handle handle) throws UpstreamException {
        byte[] bytes = JsonRpc.bytes(message);
        byte[] line = Arrays.copyOf(bytes, bytes.length + 1);
        line[bytes.length] = '\n';
        writing.lock();
        try {
            link.output().write(line);
            link.output().flush();
        } catch (IOException e) {
            throw UpstreamException.broken("the connection to the server broke");
        } finally {
            writing.unlock();
        }
    }

    @Override
    public boolean isImmediate() {
        return true;
    }

    @Override
    public void negotiated(String version) {}

    @Override
    public void close() {
        try {
            link.close();
        } catch (IOException e) {
            inbox.lost("closed");
        }
    }
}
