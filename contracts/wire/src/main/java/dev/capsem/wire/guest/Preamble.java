package dev.capsem.wire.guest;

import dev.capsem.wire.Decoded;
import java.net.Inet6Address;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The optional META, EXE, SCRIPT and DST lines with which a connection to port 5002 or 5007 begins. All are the
/// guest's
/// claims: good for attribution, never for permission.
///
/// @param executable the path of the calling program
/// @param script the file that it runs, if it is an interpreter
public record Preamble(
        Optional<String> processName,
        Optional<String> executable,
        Optional<String> script,
        Optional<Destination> destination) {
    public Preamble(Optional<String> processName, Optional<Destination> destination) {
        this(processName, Optional.empty(), Optional.empty(), destination);
    }

    /// Of each line, with its newline.
    public static final int LINE_BYTES_MAX = 4_096;

    public static final int LINES_MAX = 4;

    public static final int PROCESS_NAME_BYTES_MAX = 128;

    private static final byte[] META = "\0CAPSEM_META:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EXECUTABLE = "\0CAPSEM_EXE:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SCRIPT = "\0CAPSEM_SCRIPT:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DESTINATION = "\0CAPSEM_DST:".getBytes(StandardCharsets.US_ASCII);
    private static final Pattern ADDRESS_AND_PORT =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.]{2,45})]|((?:\\d{1,3}\\.){3}\\d{1,3})):(\\d{1,5})(/udp)?");

    /// Where the guest's process wanted to connect to: a literal address.
    ///
    /// @param datagram whether what follows was sent there as a datagram, not over a connection
    public record Destination(String address, int port, boolean datagram) {
        public Destination(String address, int port) {
            this(address, port, false);
        }
    }

    /// @param ended whether no more bytes will come; then what is there decides
    public static Decoded<Preamble> decode(ByteBuffer in, boolean ended) {
        ByteBuffer bytes = in.slice();
        return switch (line(bytes, META, ended)) {
            case Decoded.NeedMore<Optional<byte[]>>() -> new Decoded.NeedMore<>();
            case Decoded.Malformed<Optional<byte[]>>(String reason) -> new Decoded.Malformed<>(reason);
            case Decoded.Message<Optional<byte[]>>(Optional<byte[]> name, int consumed) ->
                name.isEmpty()
                        ? new Decoded.Message<>(new Preamble(Optional.empty(), Optional.empty()), 0)
                        : afterMeta(bytes.position(consumed).slice(), name.get(), consumed, ended);
        };
    }

    private static Decoded<Preamble> afterMeta(ByteBuffer bytes, byte[] name, int metaBytes, boolean ended) {
        return switch (line(bytes, EXECUTABLE, ended)) {
            case Decoded.NeedMore<Optional<byte[]>>() -> new Decoded.NeedMore<>();
            case Decoded.Malformed<Optional<byte[]>>(String reason) -> new Decoded.Malformed<>(reason);
            case Decoded.Message<Optional<byte[]>>(Optional<byte[]> path, int consumed) ->
                afterExecutable(
                        bytes.position(consumed).slice(),
                        new Preamble(
                                processName(name), path.flatMap(Preamble::path), Optional.empty(), Optional.empty()),
                        metaBytes + consumed,
                        ended);
        };
    }

    private static Decoded<Preamble> afterExecutable(ByteBuffer bytes, Preamble caller, int before, boolean ended) {
        return switch (line(bytes, SCRIPT, ended)) {
            case Decoded.NeedMore<Optional<byte[]>>() -> new Decoded.NeedMore<>();
            case Decoded.Malformed<Optional<byte[]>>(String reason) -> new Decoded.Malformed<>(reason);
            case Decoded.Message<Optional<byte[]>>(Optional<byte[]> path, int consumed) ->
                afterScript(
                        bytes.position(consumed).slice(),
                        new Preamble(
                                caller.processName, caller.executable, path.flatMap(Preamble::path), Optional.empty()),
                        before + consumed,
                        ended);
        };
    }

    private static Decoded<Preamble> afterScript(ByteBuffer bytes, Preamble caller, int before, boolean ended) {
        return switch (line(bytes, DESTINATION, ended)) {
            case Decoded.NeedMore<Optional<byte[]>>() -> new Decoded.NeedMore<>();
            case Decoded.Malformed<Optional<byte[]>>(String reason) -> new Decoded.Malformed<>(reason);
            case Decoded.Message<Optional<byte[]>>(Optional<byte[]> line, int consumed) -> {
                Optional<Destination> destination = line.flatMap(Preamble::destination);
                yield line.isPresent() && destination.isEmpty()
                        ? new Decoded.Malformed<>("the destination is not an address and a port")
                        : new Decoded.Message<>(
                                new Preamble(caller.processName, caller.executable, caller.script, destination),
                                before + consumed);
            }
        };
    }

    /// The text between the prefix and the newline; empty, with nothing consumed, when the bytes begin otherwise.
    private static Decoded<Optional<byte[]>> line(ByteBuffer bytes, byte[] prefix, boolean ended) {
        int compared = Math.min(prefix.length, bytes.remaining());
        for (int i = 0; i < compared; i++) {
            if (bytes.get(i) != prefix[i]) {
                return new Decoded.Message<>(Optional.empty(), 0);
            }
        }
        if (bytes.remaining() == 0 && ended) {
            return new Decoded.Message<>(Optional.empty(), 0);
        }
        for (int i = prefix.length; i < Math.min(bytes.remaining(), LINE_BYTES_MAX); i++) {
            if (bytes.get(i) == '\n') {
                byte[] text = new byte[i - prefix.length];
                bytes.get(prefix.length, text);
                return new Decoded.Message<>(Optional.of(text), i + 1);
            }
        }
        if (bytes.remaining() >= LINE_BYTES_MAX) {
            return new Decoded.Malformed<>("a metadata line is too long");
        }
        return ended ? new Decoded.Malformed<>("a metadata line has no end") : new Decoded.NeedMore<>();
    }

    /// A path that is not one, or cannot be shown, counts as absent: half of it would be another path.
    private static Optional<String> path(byte[] bytes) {
        try {
            String path = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            boolean isShowable = path.codePoints().noneMatch(Character::isISOControl);
            return path.startsWith("/") && isShowable ? Optional.of(path) : Optional.empty();
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /// A name that is not UTF-8 counts as absent; others are made safe to show and cut on a character boundary.
    private static Optional<String> processName(byte[] bytes) {
        String name;
        try {
            name = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
        StringBuilder safe = new StringBuilder();
        int size = 0;
        for (int codePoint : name.codePoints().toArray()) {
            int shown = Character.isISOControl(codePoint) || Character.isSpaceChar(codePoint) ? '_' : codePoint;
            size += Character.toString(shown).getBytes(StandardCharsets.UTF_8).length;
            if (size > PROCESS_NAME_BYTES_MAX) {
                break;
            }
            safe.appendCodePoint(shown);
        }
        return safe.isEmpty() ? Optional.empty() : Optional.of(safe.toString());
    }

    private static Optional<Destination> destination(byte[] bytes) {
        Matcher matcher = ADDRESS_AND_PORT.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int port = Integer.parseInt(matcher.group(3));
        String ipv4 = matcher.group(2);
        String address = ipv4 != null ? ipv4 : matcher.group(1);
        boolean valid = port >= 1 && port <= 65_535 && (ipv4 != null ? isIpv4(ipv4) : isIpv6(address));
        return valid ? Optional.of(new Destination(address, port, matcher.group(4) != null)) : Optional.empty();
    }

    private static boolean isIpv4(String address) {
        for (String part : address.split("\\.")) {
            if (Integer.parseInt(part) > 255) {
                return false;
            }
        }
        return true;
    }

    private static boolean isIpv6(String address) {
        try {
            Inet6Address.ofLiteral(address);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
