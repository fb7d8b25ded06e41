package dev.capsem.sandbox.workspace.diff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UnifiedDiffTest {
    @Test
    void equalTextsHaveNoHunks() {
        assertThat(UnifiedDiff.of("a\nb\n", "a\nb\n")).isEqualTo(new UnifiedDiff("", 0, 0));
    }

    @Test
    void showsThreeLinesOfContext() {
        var diff = UnifiedDiff.of("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");

        assertThat(diff.hunks()).isEqualTo("""
                @@ -2,7 +2,7 @@
                 2
                 3
                 4
                -5
                +five
                 6
                 7
                 8
                """);
        assertThat(diff.added()).isEqualTo(1);
        assertThat(diff.deleted()).isEqualTo(1);
    }

    @Test
    void aNewFileStartsAtLineZeroOfNothing() {
        assertThat(UnifiedDiff.of("", "a\n").hunks()).isEqualTo("@@ -0,0 +1 @@\n+a\n");
        assertThat(UnifiedDiff.of("a\n", "").hunks()).isEqualTo("@@ -1 +0,0 @@\n-a\n");
    }

    @Test
    void aMissingLastLineFeedIsAChange() {
        assertThat(UnifiedDiff.of("a", "a\n").hunks()).isEqualTo("""
                @@ -1 +1 @@
                -a
                \\ No newline at end of file
                +a
                """);
    }

    @Test
    void farApartEditsAreSeparateHunks() {
        var before = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            before.append(i).append('\n');
        }
        String after = before.toString().replaceFirst("5\n", "five\n").replaceFirst("35\n", "thirty-five\n");

        assertThat(UnifiedDiff.of(before.toString(), after).hunks().split("@@ -"))
                .hasSize(3);
    }

    @Test
    void hunksTurnOneTextIntoTheOther() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            String before = randomText(random);
            String after = randomText(random);

            String patched = patch(before, UnifiedDiff.of(before, after).hunks());

            assertThat(patched).as("seed %d round %d", seed, round).isEqualTo(after);
        }
    }

    @Test
    void textsThatDifferFromEndToEndAreShownWhole() {
        String before = "a\nb\n".repeat(20_000);
        String after = "c\nd\n".repeat(20_000);

        var diff = UnifiedDiff.of(before, after);

        assertThat(diff.added()).isEqualTo(40_000);
        assertThat(diff.deleted()).isEqualTo(40_000);
    }

    private static String randomText(Random random) {
        var text = new StringBuilder();
        int lines = random.nextInt(30);
        for (int i = 0; i < lines; i++) {
            text.append((char) ('a' + random.nextInt(4)));
            if (i < lines - 1 || random.nextBoolean()) {
                text.append('\n');
            }
        }
        return text.toString();
    }

    /// A reader of unified diffs that shares nothing with the writer.
    private static String patch(String before, String hunks) {
        List<String> source = splitKeepingFeeds(before);
        var result = new ArrayList<String>();
        int at = 0;
        List<String> lines = splitKeepingFeeds(hunks);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean unterminated = i + 1 < lines.size() && lines.get(i + 1).startsWith("\\");
            String body = line.substring(1, unterminated ? line.length() - 1 : line.length());
            switch (line.charAt(0)) {
                case '@' -> {
                    String[] range = line.split(" ")[1].substring(1).split(",");
                    int start = Integer.parseInt(range[0]);
                    boolean empty = range.length == 2 && range[1].equals("0");
                    int from = empty ? start : start - 1;
                    result.addAll(source.subList(at, from));
                    at = from;
                }
                case ' ' -> {
                    assertThat(source.get(at)).isEqualTo(body);
                    result.add(source.get(at++));
                }
                case '-' -> assertThat(source.get(at++)).isEqualTo(body);
                case '+' -> result.add(body);
                case '\\' -> {}
                default -> throw new IllegalArgumentException(line);
            }
        }
        result.addAll(source.subList(at, source.size()));
        return String.join("", result);
    }

    private static List<String> splitKeepingFeeds(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("(?<=\n)"));
    }
}
