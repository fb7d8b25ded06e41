package dev.capsem.network.http.body;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.github.luben.zstd.Zstd;
import dev.capsem.fuzz.Property;
import dev.capsem.network.http.limit.Limits;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/// Bodies under any content coding: as coded bytes, and as what was coded. The first byte picks the coding.
public final class ContentDecoderFuzz {
    private static final List<String> CODINGS =
            List.of("gzip", "deflate", "br", "zstd", "gzip, deflate", "br,gzip", "zstd, br", "gzip,gzip,gzip");
    private static final int STEP_BYTES = 70 * 1024;

    private ContentDecoderFuzz() {}

    private record Read(byte[] plain, Optional<String> trouble) {}

    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        String coding = CODINGS.get((data[0] & 0xff) % CODINGS.size());
        byte[] bytes = Arrays.copyOfRange(data, 1, data.length);
        Read whole = read(coding, new byte[][] {bytes});
        Property.holds(
                whole.plain.length
                        <= Math.max(Limits.RATIO_FREE_BYTES, (long) bytes.length * Limits.DECOMPRESSION_RATIO)
                                + STEP_BYTES,
                "more comes out than the ratio allows");
        Read pieces = read(coding, Property.pieces(bytes));
        Property.same(whole.trouble.isPresent(), pieces.trouble.isPresent(), "trouble under another split");
        if (whole.trouble.isEmpty()) {
            Property.holds(Arrays.equals(whole.plain, pieces.plain), "another content under another split");
        }
        if (!coding.contains(",")) {
            Read again = read(coding, Property.pieces(coded(coding, bytes)));
            Property.holds(
                    again.trouble.isEmpty() && Arrays.equals(again.plain, bytes), "coded and decoded: " + coding);
        }
    }

    private static Read read(String coding, byte[][] pieces) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        try (ContentDecoder decoder = ContentDecoder.of(Optional.of(coding))) {
            for (byte[] piece : pieces) {
                decoder.decode(Unpooled.wrappedBuffer(piece), bytes -> {
                    byte[] copy = new byte[bytes.remaining()];
                    bytes.get(bytes.position(), copy);
                    plain.writeBytes(copy);
                });
            }
            decoder.end();
            return new Read(plain.toByteArray(), decoder.trouble());
        }
    }

    private static byte[] coded(String coding, byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            switch (coding) {
                case "gzip" -> write(new GZIPOutputStream(out), plain);
                case "deflate" -> write(new DeflaterOutputStream(out), plain);
                case "br" -> {
                    Brotli4jLoader.ensureAvailability();
                    write(new BrotliOutputStream(out), plain);
                }
                default -> out.writeBytes(Zstd.compress(plain));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static void write(OutputStream coder, byte[] plain) throws IOException {
        try (coder) {
            coder.write(plain);
        }
    }
}
