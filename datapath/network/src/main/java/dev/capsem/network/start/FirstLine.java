package dev.capsem.network.start;

import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// The first line of a client that speaks in clear text. Many protocols begin with a word in capitals; HTTP/1 has a few
/// of its own, and ends the line with its version.
final class FirstLine {
    /// A longer line is a long URL: nothing else begins so.
    static final int BYTES_MAX = 2 * 1024;

    private static final String HTTP2_START = "PRI ";

    /// A line that begins so, or ends with HTTP's version, means HTTP and is answered in its terms.
    private static final Pattern REQUEST = Pattern.compile(
            "(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|TRACE|CONNECT|PATCH) .*|.+ HTTP/[0-9.]{1,5}[ \\t\\r]*");

    private FirstLine() {}

    /// Requires: there is a first byte, and it is a capital.
    ///
    /// @param ended whether no more bytes will come
    static Decoded<ConnectionStart.Protocol> decode(ByteBuffer bytes, boolean ended) {
        int seen = Math.min(bytes.remaining(), BYTES_MAX);
        int feed = indexOf(bytes, '\n', seen);
        String line = text(bytes, feed < 0 ? seen : feed);
        if (line.startsWith(HTTP2_START)) {
            return known(new ConnectionStart.Http2());
        }
        boolean isText = line.chars().allMatch(c -> (c >= ' ' && c < 127) || c == '\t' || c == '\r');
        if (feed < 0 && !ended && isText && seen < BYTES_MAX) {
            return new Decoded.NeedMore<>();
        }
        boolean isHttp =
                isText && (feed < 0 ? seen == BYTES_MAX : REQUEST.matcher(line).lookingAt());
        return known(isHttp ? new ConnectionStart.Http() : Goodbye.to(line, feed < 0 && ended));
    }

    private static int indexOf(ByteBuffer bytes, char wanted, int end) {
        for (int i = 0; i < end; i++) {
            if (bytes.get(i) == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static String text(ByteBuffer bytes, int length) {
        byte[] copy = new byte[length];
        bytes.get(0, copy);
        return new String(copy, StandardCharsets.ISO_8859_1);
    }

    private static Decoded<ConnectionStart.Protocol> known(ConnectionStart.Protocol protocol) {
        return new Decoded.Message<>(protocol, 0);
    }
}
