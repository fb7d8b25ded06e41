package dev.capsem.telemetry.chain;

import dev.capsem.events.row.RowValues;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/// The canonical bytes of a link of the hash chain: every value with a tag for its type and, if it is text, its
/// length, so that no two different links have the same bytes. Writer and verifier fill it from opposite sides.
public final class SealBuffer implements RowValues {
    /// What comes before the first link.
    static final String GENESIS = "0".repeat(64);

    private static final HexFormat HEX = HexFormat.of();

    private final MessageDigest sha256;
    private byte[] bytes = new byte[4_096];
    private int length;

    public SealBuffer() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /// Starts a link: everything but its rows.
    public void startEvent(long seq, String previousHash, long atMillis, String eventId) {
        length = 0;
        text("event");
        text(previousHash);
        integer(seq);
        integer(atMillis);
        text(eventId);
    }

    public void startGap(long seq, String previousHash, long atMillis, long count, String reason, String detail) {
        length = 0;
        text("gap");
        text(previousHash);
        integer(seq);
        integer(atMillis);
        integer(count);
        text(reason);
        text(detail);
    }

    public void startRow(String kind, long id) {
        text(kind);
        integer(id);
    }

    public String hash() {
        sha256.update(bytes, 0, length);
        return HEX.formatHex(sha256.digest());
    }

    @Override
    public void text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        reserve(5 + utf8.length);
        bytes[length] = 't';
        ByteBuffer.wrap(bytes).putInt(length + 1, utf8.length).put(length + 5, utf8);
        length += 5 + utf8.length;
    }

    @Override
    public void integer(long value) {
        number('i', value);
    }

    @Override
    public void real(double value) {
        number('r', Double.doubleToLongBits(value));
    }

    @Override
    public void absent() {
        reserve(1);
        bytes[length++] = 'n';
    }

    /// For a value that no writer of ours stores: it must not look like one that we do.
    void foreign() {
        reserve(1);
        bytes[length++] = '?';
    }

    private void number(char tag, long bits) {
        reserve(9);
        bytes[length] = (byte) tag;
        ByteBuffer.wrap(bytes).putLong(length + 1, bits);
        length += 9;
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
        }
    }
}
