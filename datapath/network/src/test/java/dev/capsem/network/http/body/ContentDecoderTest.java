package dev.capsem.network.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.github.luben.zstd.Zstd;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentDecoderTest {
    private record Read(String text, Optional<String> trouble) {}

    private static byte[] code(String coding, byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        switch (coding) {
            case "gzip" -> write(new GZIPOutputStream(out), plain);
            case "deflate" -> write(new DeflaterOutputStream(out), plain);
            case "br" -> {
                Brotli4jLoader.ensureAvailability();
                write(new BrotliOutputStream(out), plain);
            }
            default -> out.writeBytes(Zstd.compress(plain));
        }
        return out.toByteArray();
    }

    private static void write(OutputStream coder, byte[] plain) throws IOException {
        try (coder) {
            coder.write(plain);
        }
    }

    private static Read read(String coding, byte[] coded, int step) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        try (ContentDecoder decoder = ContentDecoder.of(Optional.of(coding))) {
            for (int i = 0; i < coded.length; i += step) {
                byte[] piece = Arrays.copyOfRange(coded, i, Math.min(coded.length, i + step));
                decoder.decode(Unpooled.wrappedBuffer(piece), bytes -> {
                    byte[] copy = new byte[bytes.remaining()];
                    bytes.get(bytes.position(), copy);
                    plain.writeBytes(copy);
                });
            }
            decoder.end();
            return new Read(plain.toString(StandardCharsets.ISO_8859_1), decoder.trouble());
        }
    }

    private static byte[] plain(int size) {
        byte[] plain = new byte[size];
        new Random(size).nextBytes(plain);
        Arrays.fill(plain, 0, size / 2, (byte) 'a');
        return plain;
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void readsWholeBodiesInAnyPieces(String coding) throws Exception {
        for (int size : new int[] {1, 100, 70_000, 400_000}) {
            byte[] coded = code(coding, plain(size));
            for (int step : new int[] {1, 7, 5_000, coded.length}) {
                if (size * 1L / step < 100_000) {
                    Read read = read(coding, coded, step);
                    assertThat(read.trouble()).as("%d by %d", size, step).isEmpty();
                    assertThat(read.text()).isEqualTo(new String(plain(size), StandardCharsets.ISO_8859_1));
                }
            }
        }
        assertThat(read(coding, new byte[0], 1).trouble()).as("no body at all").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void whatIsCutOffAnywhereIsNotRead(String coding) throws Exception {
        byte[] coded = code(coding, "the secret word is marmalade".getBytes(StandardCharsets.US_ASCII));
        for (int end = 1; end < coded.length; end++) {
            assertThat(read(coding, Arrays.copyOf(coded, end), coded.length).trouble())
                    .as("%d of %d", end, coded.length)
                    .isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void whatIsNoneOfItsCodingIsTold(String coding) {
        byte[] lie = "plain text, and nothing else".repeat(20).getBytes(StandardCharsets.US_ASCII);
        assertThat(read(coding, lie, 100).trouble().orElseThrow())
                .containsAnyOf("not what its Content-Encoding says", "in the middle of");
    }

    @Test
    void readsMembersAndFramesOneAfterTheOtherAndCodingsInCodings() throws Exception {
        for (String coding : new String[] {"gzip", "zstd"}) {
            ByteArrayOutputStream two = new ByteArrayOutputStream();
            two.writeBytes(code(coding, "one ".getBytes(StandardCharsets.US_ASCII)));
            two.writeBytes(code(coding, "two".getBytes(StandardCharsets.US_ASCII)));
            assertThat(read(coding, two.toByteArray(), 3)).isEqualTo(new Read("one two", Optional.empty()));
        }
        byte[] twice = code("br", code("gzip", "deep".getBytes(StandardCharsets.US_ASCII)));
        assertThat(read("gzip, br", twice, 3)).isEqualTo(new Read("deep", Optional.empty()));
    }

    @Test
    void readsDeflateWithoutItsHeader() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(new DeflaterOutputStream(out, new Deflater(9, true)), "bare".getBytes(StandardCharsets.US_ASCII));
        assertThat(read("deflate", out.toByteArray(), 2)).isEqualTo(new Read("bare", Optional.empty()));
    }

    @Test
    void readsAGzipHeaderWithAllItsParts() throws Exception {
        byte[] simple = code("gzip", "named".getBytes(StandardCharsets.US_ASCII));
        ByteArrayOutputStream full = new ByteArrayOutputStream();
        full.write(simple, 0, 3);
        full.write(2 | 4 | 8 | 16);
        full.write(simple, 4, 6);
        full.writeBytes(new byte[] {3, 0, 1, 2, 3, 'n', 0, 'c', 'c', 0, 9, 9});
        full.write(simple, 10, simple.length - 10);
        assertThat(read("gzip", full.toByteArray(), 1)).isEqualTo(new Read("named", Optional.empty()));
    }

    @Test
    void ordinaryPagesThatCompressWellAreReadAndBombsAreNot() throws Exception {
        String page = "<li class=\"row\"><a href=\"/\">item</a></li>\n".repeat(50_000);
        byte[] coded = code("gzip", page.getBytes(StandardCharsets.US_ASCII));
        assertThat(coded.length * 100).isLessThan(page.length());
        assertThat(read("gzip", coded, coded.length)).isEqualTo(new Read(page, Optional.empty()));
        byte[] bomb = code("gzip", new byte[9 * 1024 * 1024]);
        assertThat(read("gzip", bomb, bomb.length).trouble().orElseThrow()).contains("grows more than 100 times");
    }

    @Test
    void whatNobodyKnowsIsTold() {
        assertThat(read("compress", new byte[5], 5).trouble().orElseThrow()).contains("none of gzip");
        assertThat(read("gzip,gzip,gzip,gzip", new byte[5], 5).trouble().orElseThrow())
                .contains("more than 3 times");
    }
}
