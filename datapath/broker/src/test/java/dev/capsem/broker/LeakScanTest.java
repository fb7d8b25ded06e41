package dev.capsem.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LeakScanTest {
    private static final String STAND_IN = "sk-ant-api03-Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op7";

    static List<String> disguises() {
        List<String> all = new ArrayList<>();
        all.add(STAND_IN);
        all.add("key=" + STAND_IN.replace("-", "%2D"));
        all.add(escaped("%", "%02x"));
        all.add(escaped("%", "%02X"));
        all.add(escaped("\\u", "%04x"));
        all.add("%" + escaped("%", "%02x"));
        all.add("\\s" + STAND_IN.substring(1));
        all.add(HexFormat.of().formatHex(bytes(STAND_IN)));
        for (String before : List.of("", "a", "ab", "user:")) {
            all.add(Base64.getEncoder().encodeToString(bytes(before + STAND_IN + "!")));
            all.add(Base64.getUrlEncoder().encodeToString(bytes(before + STAND_IN)));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("disguises")
    void findsAStandInWhereverTheStreamIsCut(String disguise) {
        byte[] whole = bytes("%zz before " + disguise + " after");

        for (int cut = 0; cut <= whole.length; cut++) {
            LeakScan scan = scan();
            scan.sees(ByteBuffer.wrap(Arrays.copyOf(whole, cut)));
            scan.sees(ByteBuffer.wrap(Arrays.copyOfRange(whole, cut, whole.length)));

            assertThat(scan.found()).as("cut at %s of %s", cut, disguise).contains(3);
        }
    }

    @Test
    void ordinaryTextIsNoLeak() {
        LeakScan scan = scan();

        scan.sees("sk-ant-api03-somethingelse %41 \\u0041 \\\\ %% 100%").sees(STAND_IN.substring(1));

        assertThat(scan.hasFound()).isFalse();
    }

    private static String escaped(String before, String format) {
        StringBuilder out = new StringBuilder();
        STAND_IN.chars().forEach(c -> out.append(before).append(String.format(format, c)));
        return out.toString();
    }

    private static LeakScan scan() {
        return new LeakScan(PatternSet.of(PatternSet.spellings(3, bytes(STAND_IN), bytes(STAND_IN))));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
