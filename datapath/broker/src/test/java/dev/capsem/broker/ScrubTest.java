package dev.capsem.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScrubTest {
    private static final String VALUE = "s3cr3t/\"+value==42";
    private static final String STAND_IN = "PLACEHOLDER0123456789abc";

    static List<String> spellings() {
        List<String> all = new ArrayList<>();
        byte[] value = bytes(VALUE);
        all.add(VALUE);
        all.add(VALUE.replace("\"", "\\\""));
        all.add(VALUE.replace("\"", "\\\"").replace("/", "\\/"));
        all.add(URLEncoder.encode(VALUE, StandardCharsets.UTF_8));
        all.add(URLEncoder.encode(VALUE, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT));
        for (HexFormat digits : List.of(HexFormat.of(), HexFormat.of().withUpperCase())) {
            all.add(digits.withPrefix("%").formatHex(value));
            all.add(digits.withPrefix("\\u00").formatHex(value));
        }
        all.add(HexFormat.of().formatHex(value));
        all.add(HexFormat.of().withUpperCase().formatHex(value));
        for (String before : List.of("", "u", "us", "use", "user:", "x-access-token:")) {
            for (String after : List.of("", "!", "??", "tail")) {
                byte[] around = bytes(before + VALUE + after);
                all.add(Base64.getEncoder().encodeToString(around));
                all.add(Base64.getUrlEncoder().withoutPadding().encodeToString(around));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void noSpellingOfAValuePassesWhereverTheStreamIsCut(String spelled) {
        String text = "before " + spelled + " between " + spelled + " after";
        byte[] whole = bytes(text);

        for (int cut = 0; cut <= whole.length; cut++) {
            Scrub scrub = scrub(false);
            String passed = pass(scrub, whole, cut);

            assertThat(scrub.hits()).as("cut at %s", cut).isEqualTo(2);
            assertThat(passed).startsWith("before ").contains(" between ").endsWith(" after");
            assertThat(passed.toLowerCase(Locale.ROOT)).doesNotContain(inner(spelled));
        }
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void theLengthStaysWhereItWasPromised(String spelled) {
        byte[] whole = bytes("{\"key\":\"" + spelled + "\"}");

        Scrub scrub = scrub(true);

        assertThat(pass(scrub, whole, 11)).hasSameSizeAs(new String(whole, StandardCharsets.ISO_8859_1));
        assertThat(scrub.hits()).isEqualTo(1);
    }

    @Test
    void theStandInTakesTheValuesPlace() {
        assertThat(pass(scrub(false), bytes("key=" + VALUE + "; next"), 3)).isEqualTo("key=" + STAND_IN + "; next");
    }

    @Test
    void cleanBytesAreUntouched() {
        Scrub scrub = scrub(false);

        assertThat(scrub.pass(ByteBuffer.wrap(bytes("nothing to see"))).isUntouched())
                .isTrue();
        assertThat(scrub.isHoldingBack()).isFalse();
    }

    @Test
    void holdsBackNoMoreThanWhatMayBecomeAValue() {
        Scrub scrub = scrub(false);

        Scrub.Passed passed = scrub.pass(ByteBuffer.wrap(bytes("data: s3cr3t")));

        assertThat(new String(passed.bytes(), StandardCharsets.ISO_8859_1)).isEqualTo("data: ");
        assertThat(new String(scrub.rest(), StandardCharsets.ISO_8859_1)).isEqualTo("s3cr3t");
    }

    /// The oracle replaces raw values in the whole text.
    @Test
    void randomTextInRandomPiecesComesOutAsInOne() {
        long seed = 20_260_101;
        Random random = new Random(seed);
        PatternSet raw = PatternSet.of(List.of(
                new PatternSet.Spelling(0, Encoding.RAW, bytes("abaababa"), bytes("<first>")),
                new PatternSet.Spelling(1, Encoding.RAW, bytes("bbabbabba"), bytes("<second>"))));
        for (int run = 0; run < 2_000; run++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(200); i >= 0; i--) {
                text.append(random.nextInt(12) == 0 ? "abaababa" : random.nextBoolean() ? "a" : "b");
            }
            byte[] whole = bytes(text.toString());

            Scrub scrub = new Scrub(raw, false);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int at = 0; at < whole.length; ) {
                int length = Math.min(whole.length - at, 1 + random.nextInt(20));
                byte[] piece = Arrays.copyOfRange(whole, at, at + length);
                Scrub.Passed passed = scrub.pass(ByteBuffer.wrap(piece));
                out.writeBytes(passed.isUntouched() ? piece : passed.bytes());
                at += length;
            }
            out.writeBytes(scrub.rest());

            assertThat(out.toString(StandardCharsets.ISO_8859_1))
                    .as("seed %s, run %s: %s", seed, run, text)
                    .isEqualTo(leftmost(text.toString()));
        }
    }

    private static String leftmost(String text) {
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < text.length(); ) {
            if (text.startsWith("abaababa", at)) {
                out.append("<first>");
                at += 8;
            } else if (text.startsWith("bbabbabba", at)) {
                out.append("<second>");
                at += 9;
            } else {
                out.append(text.charAt(at++));
            }
        }
        return out.toString();
    }

    /// The characters of a spelling that depend on the value alone.
    private static String inner(String spelled) {
        return spelled.toLowerCase(Locale.ROOT)
                .substring(
                        Math.min(spelled.length() / 3, spelled.length() - 8), spelled.length() - spelled.length() / 3);
    }

    private static String pass(Scrub scrub, byte[] whole, int cut) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] piece : List.of(Arrays.copyOf(whole, cut), Arrays.copyOfRange(whole, cut, whole.length))) {
            Scrub.Passed passed = scrub.pass(ByteBuffer.wrap(piece));
            out.writeBytes(passed.isUntouched() ? piece : passed.bytes());
        }
        out.writeBytes(scrub.rest());
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    private static Scrub scrub(boolean keepsLength) {
        return new Scrub(PatternSet.of(PatternSet.spellings(0, bytes(VALUE), bytes(STAND_IN))), keepsLength);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
