package dev.capsem.telemetry.chain;

import dev.capsem.events.row.RowValues;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/// The canonical bytes of a link of the hash chain: every value with a tag for its type and, if it is text, its
/// length, so that no two different links have the same bytes. Writer and verifier fill it from opposite sides.
public final class SealBuffer implements RowValues {
    /// The hash before the first link.
    static final String GENESIS = "0".repeat(64);

    private static final HexFormat HEX = HexFormat.of();

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

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
        reserve(5 + value.length());
        if (!putAscii(value, length + 5)) {
            byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
            reserve(5 + utf8.length);
            start(utf8.length);
            System.arraycopy(utf8, 0, bytes, length + 5, utf8.length);
            length += 5 + utf8.length;
            return;
        }
        start(value.length());
        length += 5 + value.length();
    }

    private void start(int utf8Length) {
        bytes[length] = 't';
        INT.set(bytes, length + 1, utf8Length);
    }

    /// Nearly every text is ASCII, which is UTF-8 as it stands: no array of its own, no second pass.
    private boolean putAscii(String value, int at) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= 0x80) {
                return false;
            }
            bytes[at + i] = (byte) c;
        }
        return true;
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
        LONG.set(bytes, length + 1, bits);
        length += 9;
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
        }
    }
}
