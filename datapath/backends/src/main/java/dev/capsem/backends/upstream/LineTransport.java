package dev.capsem.backends.upstream;

import dev.capsem.backends.io.ServerLink;
import dev.capsem.wire.aggregator.LineSplitter;
import dev.capsem.wire.aggregator.LineSplitter.Cut;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// MCP as stdio servers speak it, over a socket that the host connected to one. Many clients share it: ids keep
/// them apart.
final class LineTransport implements Transport {
    private static final int READ_BYTES = 16 * 1024;
    private static final String TOO_LONG =
            "the server sent a line of more than " + JsonRpc.MESSAGE_BYTES_MAX + " bytes";

    private static final Pattern ID_FIRST =
            Pattern.compile("^\\s*\\{\\s*(?:\"jsonrpc\"\\s*:\\s*\"2.0\"\\s*,\\s*)?\"id\"\\s*:\\s*([0-9]{1,18})\\s*,");
    private static final Pattern ID_LAST =
            Pattern.compile(",\\s*\"id\"\\s*:\\s*([0-9]{1,18})\\s*(?:,\\s*\"jsonrpc\"\\s*:\\s*\"2.0\"\\s*)?}\\s*$");

    private final ServerLink link;
    private final Inbox inbox;
    /// One line at a time.
    private final ReentrantLock writing = new ReentrantLock();

    private LineTransport(ServerLink link, Inbox inbox) {
        this.link = link;
        this.inbox = inbox;
    }

    static LineTransport start(ServerLink link, Inbox inbox) {
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

    /// A line that is no message is the server's own chatter.
    private void received(Cut cut) {
        switch (cut) {
            case Cut.Line(byte[] line) -> {
                if (JsonRpc.parse(line) instanceof Parsed.Valid(JsonRpcMessage message)) {
                    inbox.received(message, OptionalLong.empty());
                }
            }
            case Cut.TooLong(byte[] start, byte[] end) -> inbox.spoiled(idIn(start, end), TOO_LONG);
        }
    }

    /// Where clients and servers write the id: before or behind the result.
    private static Optional<JsonRpcId> idIn(byte[] start, byte[] end) {
        return Stream.of(
                        ID_FIRST.matcher(new String(start, StandardCharsets.ISO_8859_1)),
                        ID_LAST.matcher(new String(end, StandardCharsets.ISO_8859_1)))
                .filter(Matcher::find)
                .map(found -> JsonRpcId.of(Long.parseLong(found.group(1))))
                .findFirst();
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
