package dev.capsem.testkit.http;

import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/// Many bytes that do not compress and do not repeat: a block of noise, stamped with its number each time.
public final class BulkBytes {
    private static final int BLOCK_BYTES = 1024 * 1024;

    private final byte[] block = new byte[BLOCK_BYTES];
    private final int blocks;

    /// @param mebibytes how many
    public BulkBytes(int mebibytes) {
        this.blocks = mebibytes;
        new Random(5).nextBytes(block);
    }

    public long size() {
        return (long) blocks * BLOCK_BYTES;
    }

    public void writeTo(OutputStream out) throws IOException {
        byte[] stamped = block.clone();
        for (int i = 0; i < blocks; i++) {
            stamp(stamped, i);
            out.write(stamped);
        }
    }

    public String sha256() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] stamped = block.clone();
            for (int i = 0; i < blocks; i++) {
                stamp(stamped, i);
                digest.update(stamped);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void stamp(byte[] block, int number) {
        for (int i = 0; i < 4; i++) {
            block[i] = (byte) (number >>> (8 * i));
        }
    }
}
