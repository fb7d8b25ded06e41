package dev.capsem.network.http.codec;

import dev.capsem.network.http.limit.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads HTTP/1 requests as RFC 9112 defines them and nothing besides: whatever two parsers could read in two ways is
/// malformed, because the second parser may be the upstream's. Gives one request, then waits for [#next].
public final class RequestDecoder extends ByteToMessageDecoder {
    private static final Set<String> FORBIDDEN_TRAILERS =
            Set.of("content-length", "transfer-encoding", "host", "trailer", "content-encoding", "authorization");

    private enum State {
        HEAD,
        FIXED,
        CHUNK_SIZE,
        CHUNK_DATA,
        CHUNK_END,
        TRAILERS,
        /// A request is complete; the next one stays unread until its answer is out.
        HELD,
        /// Nothing that follows can be trusted to be what it seems.
        BROKEN
    }

    private State state = State.HEAD;
    /// How far the head was searched for its end already.
    private int scanned;

    private boolean isLineChecked;

    private long remaining;
    private HttpHeaders trailers = newTrailers();
    private int trailerBytes;

    /// Whether a request began, and its head did not end yet.
    public boolean isWithinHead() {
        return state == State.HEAD && scanned > 0;
    }

    /// Goes on with the following request.
    public void next(ChannelHandlerContext own) throws Exception {
        if (state == State.HELD) {
            state = State.HEAD;
            channelRead(own, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (state == State.HELD) {
            // The parent class would ask for more until it can decode something, and it cannot now.
            discardSomeReadBytes();
            ctx.fireChannelReadComplete();
        } else {
            super.channelReadComplete(ctx);
        }
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        try {
            switch (state) {
                case HEAD -> head(in, out);
                case FIXED -> fixed(in, out);
                case CHUNK_SIZE -> chunkSize(in);
                case CHUNK_DATA -> chunkData(in, out);
                case CHUNK_END -> chunkEnd(in);
                case TRAILERS -> trailers(in, out);
                case HELD -> {}
                case BROKEN -> in.skipBytes(in.readableBytes());
            }
        } catch (Malformed malformed) {
            state = State.BROKEN;
            in.skipBytes(in.readableBytes());
            out.add(new BadRequest(malformed.status, malformed.reason));
        }
    }

    private void head(ByteBuf in, List<Object> out) throws Malformed {
        if (in.readableBytes() >= 2 && in.getShort(in.readerIndex()) == 0x0d0a) {
            // RFC 9112 §2.2: an empty line before a request is to be ignored.
            in.skipBytes(2);
            scanned = 0;
        }
        int end = endOfHead(in);
        if (end < 0) {
            if (in.readableBytes() > Limits.HEADER_BLOCK_BYTES) {
                throw new Malformed(431, "the header block is larger than 64 KiB");
            }
            checkFirstLine(in);
            return;
        }
        String text = in.readCharSequence(end - in.readerIndex(), StandardCharsets.ISO_8859_1)
                .toString();
        scanned = 0;
        isLineChecked = false;
        if (text.length() > Limits.HEADER_BLOCK_BYTES) {
            throw new Malformed(431, "the header block is larger than 64 KiB");
        }
        // No line end stands alone, so a carriage return is one.
        int feed = text.indexOf('\r');
        DefaultHttpRequest request = requestLine(text.substring(0, feed));
        for (int from = feed + 2; from < text.length() - 2; from = feed + 2) {
            feed = text.indexOf('\r', from);
            field(text.substring(from, feed), request.headers());
        }
        Framing framing = Framing.of(request.protocolVersion(), request.headers());
        out.add(request);
        switch (framing) {
            case Framing.None _ -> {
                out.add(LastHttpContent.EMPTY_LAST_CONTENT);
                state = State.HELD;
            }
            case Framing.Length(long length) -> {
                remaining = length;
                state = State.FIXED;
            }
            case Framing.Chunked _ -> state = State.CHUNK_SIZE;
        }
    }

    /// The index after the empty line; -1 if it is not there yet. A line feed or carriage return on its own is refused
    /// at once, not only when a proper end comes.
    private int endOfHead(ByteBuf in) throws Malformed {
        int start = in.readerIndex();
        int i = start + scanned;
        int limit = Math.min(in.writerIndex(), start + Limits.HEADER_BLOCK_BYTES + 4);
        for (; i < limit; i++) {
            byte b = in.getByte(i);
            if (b == '\n' && (i == start || in.getByte(i - 1) != '\r')) {
                throw new Malformed(400, "a line ends without a carriage return");
            }
            if (i > start && in.getByte(i - 1) == '\r' && b != '\n') {
                throw new Malformed(400, "a carriage return stands alone");
            }
            if (b == '\n' && i - start >= 3 && in.getByte(i - 2) == '\n') {
                return i + 1;
            }
        }
        scanned = i - start;
        return -1;
    }

    /// Bytes that are no request are refused at the first line: in other protocols no empty line ever follows.
    private void checkFirstLine(ByteBuf in) throws Malformed {
        if (isLineChecked) {
            return;
        }
        int feed = in.indexOf(in.readerIndex(), in.readerIndex() + scanned, (byte) '\n');
        if (feed > in.readerIndex()) {
            isLineChecked = true;
            requestLine(in.toString(in.readerIndex(), feed - 1 - in.readerIndex(), StandardCharsets.ISO_8859_1));
        }
    }

    private static DefaultHttpRequest requestLine(String line) throws Malformed {
        int first = line.indexOf(' ');
        int last = line.lastIndexOf(' ');
        if (first <= 0 || last == first || line.indexOf(' ', first + 1) != last) {
            throw new Malformed(400, "the request line is not a method, a target and a version");
        }
        String method = line.substring(0, first);
        String target = line.substring(first + 1, last);
        if (!Tokens.isToken(method) || method.length() > 32) {
            throw new Malformed(400, "the method is not a word");
        }
        if (target.isEmpty() || !Tokens.isVisibleAscii(target)) {
            throw new Malformed(400, "the target has characters that no URL has");
        }
        HttpVersion version = switch (line.substring(last + 1)) {
            case "HTTP/1.1" -> HttpVersion.HTTP_1_1;
            case "HTTP/1.0" -> HttpVersion.HTTP_1_0;
            default -> throw new Malformed(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
        };
        return new DefaultHttpRequest(
                version, HttpMethod.valueOf(method), target, DefaultHttpHeadersFactory.headersFactory());
    }

    private static void field(String line, HttpHeaders into) throws Malformed {
        if (line.startsWith(" ") || line.startsWith("\t")) {
            throw new Malformed(400, "a header is folded over two lines");
        }
        int colon = line.indexOf(':');
        if (colon <= 0 || !Tokens.isToken(line.substring(0, colon))) {
            throw new Malformed(400, "a header has no proper name");
        }
        String value = Tokens.trim(line.substring(colon + 1));
        if (!Tokens.isFieldValue(value)) {
            throw new Malformed(400, "the value of a header has a control character");
        }
        into.add(line.substring(0, colon), value);
    }

    private void fixed(ByteBuf in, List<Object> out) {
        int taken = (int) Math.min(remaining, in.readableBytes());
        if (taken == 0 && remaining > 0) {
            return;
        }
        remaining -= taken;
        ByteBuf content = in.readRetainedSlice(taken);
        if (remaining == 0) {
            out.add(new DefaultLastHttpContent(content));
            state = State.HELD;
        } else {
            out.add(new DefaultHttpContent(content));
        }
    }

    private void chunkSize(ByteBuf in) throws Malformed {
        String line = line(in, Limits.CHUNK_LINE_BYTES, 400);
        if (line == null) {
            return;
        }
        int end = 0;
        while (end < line.length() && Character.digit(line.charAt(end), 16) >= 0 && line.charAt(end) < 128) {
            end++;
        }
        boolean isExtended = end < line.length() && line.charAt(end) == ';' && Tokens.isFieldValue(line);
        if (end == 0 || end > 15 || (end < line.length() && !isExtended)) {
            throw new Malformed(400, "a chunk has no proper size");
        }
        remaining = Long.parseLong(line.substring(0, end), 16);
        state = remaining == 0 ? State.TRAILERS : State.CHUNK_DATA;
    }

    private void chunkData(ByteBuf in, List<Object> out) {
        int taken = (int) Math.min(remaining, in.readableBytes());
        if (taken == 0) {
            return;
        }
        remaining -= taken;
        out.add(new DefaultHttpContent(in.readRetainedSlice(taken)));
        if (remaining == 0) {
            state = State.CHUNK_END;
        }
    }

    private void chunkEnd(ByteBuf in) throws Malformed {
        if (in.readableBytes() < 2) {
            return;
        }
        if (in.readShort() != 0x0d0a) {
            throw new Malformed(400, "a chunk is longer than it said");
        }
        state = State.CHUNK_SIZE;
    }

    private void trailers(ByteBuf in, List<Object> out) throws Malformed {
        String line = line(in, Limits.HEADER_BLOCK_BYTES, 431);
        if (line == null) {
            return;
        }
        if (line.isEmpty()) {
            out.add(
                    trailers.isEmpty()
                            ? new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER)
                            : new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER, trailers));
            trailers = newTrailers();
            trailerBytes = 0;
            state = State.HELD;
            return;
        }
        trailerBytes += line.length() + 2;
        if (trailerBytes > Limits.HEADER_BLOCK_BYTES) {
            throw new Malformed(431, "the trailers are larger than 64 KiB");
        }
        String name = line.substring(0, Math.max(0, line.indexOf(':'))).toLowerCase(Locale.ROOT);
        if (FORBIDDEN_TRAILERS.contains(name)) {
            throw new Malformed(400, "a trailer has a name that belongs into the head");
        }
        field(line, trailers);
    }

    /// A line without its end, or null if the end is not there yet.
    private static @Nullable String line(ByteBuf in, int bytesMax, int status) throws Malformed {
        int feed = in.indexOf(in.readerIndex(), Math.min(in.writerIndex(), in.readerIndex() + bytesMax), (byte) '\n');
        if (feed < 0) {
            if (in.readableBytes() >= bytesMax) {
                throw new Malformed(status, "a line is too long");
            }
            return null;
        }
        String line = in.readCharSequence(feed + 1 - in.readerIndex(), StandardCharsets.ISO_8859_1)
                .toString();
        if (!line.endsWith("\r\n") || line.indexOf('\r') != line.length() - 2) {
            throw new Malformed(400, "a line ends without a carriage return, or has one within");
        }
        return line.substring(0, line.length() - 2);
    }

    private static HttpHeaders newTrailers() {
        return DefaultHttpHeadersFactory.trailersFactory().newHeaders();
    }

    /// How a request's body is delimited.
    private sealed interface Framing {
        record None() implements Framing {}

        record Length(long bytes) implements Framing {}

        record Chunked() implements Framing {}

        static Framing of(HttpVersion version, HttpHeaders headers) throws Malformed {
            List<String> lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
            List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
            if (!codings.isEmpty()) {
                if (!lengths.isEmpty()) {
                    throw new Malformed(400, "both Content-Length and Transfer-Encoding are given");
                }
                if (codings.size() != 1 || !codings.get(0).equalsIgnoreCase("chunked")) {
                    throw new Malformed(400, "the only transfer coding spoken here is chunked");
                }
                if (version.equals(HttpVersion.HTTP_1_0)) {
                    throw new Malformed(400, "HTTP/1.0 has no transfer codings");
                }
                return new Chunked();
            }
            if (lengths.isEmpty()) {
                return new None();
            }
            String length = lengths.get(0);
            boolean isNumber =
                    !length.isEmpty() && length.length() <= 18 && length.chars().allMatch(c -> c >= '0' && c <= '9');
            if (lengths.size() != 1 || !isNumber) {
                throw new Malformed(400, "Content-Length is not one number");
            }
            long bytes = Long.parseLong(length);
            return bytes == 0 ? new None() : new Length(bytes);
        }
    }

    private static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;
        private final int status;
        private final String reason;

        Malformed(int status, String reason) {
            super(reason, null, false, false);
            this.status = status;
            this.reason = reason;
        }
    }
}
