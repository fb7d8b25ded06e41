package dev.capsem.wire.aggregator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.aggregator.LineSplitter.Cut;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LineSplitterTest {
    @Test
    void cutsAlikeHoweverTheStreamIsSplit() {
        byte[] stream = "one\n\n0123456789\n01234567890\nafter\nrest".getBytes(StandardCharsets.UTF_8);
        long seed = 3L;
        Random random = new Random(seed);

        for (int round = 0; round < 500; round++) {
            LineSplitter splitter = new LineSplitter(10);
            List<String> cuts = new ArrayList<>();
            for (int at = 0; at < stream.length; ) {
                int count = Math.min(stream.length - at, 1 + random.nextInt(7));
                splitter.feed(Arrays.copyOfRange(stream, at, at + count), count, cut -> cuts.add(shown(cut)));
                at += count;
            }

            assertThat(cuts)
                    .as("seed %d, round %d", seed, round)
                    .containsExactly("one", "", "0123456789", "too long", "after");
            assertThat(splitter.leftover()).isEqualTo(4);
        }
    }

    @Test
    void aLineOfExactlyTheLimitPasses() {
        LineSplitter splitter = new LineSplitter(AggregatorProtocol.LINE_BYTES_MAX);
        byte[] line = new byte[AggregatorProtocol.LINE_BYTES_MAX + 1];
        Arrays.fill(line, (byte) 'a');
        line[line.length - 1] = '\n';
        List<Cut> cuts = new ArrayList<>();

        splitter.feed(line, line.length, cuts::add);

        assertThat(cuts).singleElement().isInstanceOf(Cut.Line.class);
    }

    @Test
    void bothEndsOfALineOverTheLimitAreKeptUnderAnySplit() {
        String text = "first" + "x".repeat(1_000) + "last";
        byte[] stream = (text + "\n").getBytes(StandardCharsets.UTF_8);
        for (int chunk : new int[] {1, 7, 127, 128, 129, 500, stream.length}) {
            LineSplitter splitter = new LineSplitter(300);
            List<Cut> cuts = new ArrayList<>();
            for (int at = 0; at < stream.length; at += chunk) {
                int count = Math.min(stream.length - at, chunk);
                splitter.feed(Arrays.copyOfRange(stream, at, at + count), count, cuts::add);
            }

            assertThat(cuts).as("by %d", chunk).singleElement().isInstanceOfSatisfying(Cut.TooLong.class, cut -> {
                assertThat(new String(cut.start(), StandardCharsets.UTF_8)).isEqualTo(text.substring(0, 128));
                assertThat(new String(cut.end(), StandardCharsets.UTF_8))
                        .isEqualTo(text.substring(text.length() - 128));
            });
        }
    }

    private static String shown(Cut cut) {
        return switch (cut) {
            case Cut.Line(byte[] bytes) -> new String(bytes, StandardCharsets.UTF_8);
            case Cut.TooLong _ -> "too long";
        };
    }
}
