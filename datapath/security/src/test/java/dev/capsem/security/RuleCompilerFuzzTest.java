package dev.capsem.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A moment of fuzzing with every build: the guide's own examples, damaged.
@Timeout(120)
class RuleCompilerFuzzTest {
    private static final Path RULES = Path.of("../../docs/rules.md");
    private static final int ROUNDS = 400;
    private static final List<String> TOKENS =
            List.of(("[ ] [[ ''' \"\"\" \" ' = . # true 1e999 nan if= on= decision= priority= "
                            + "( ) && || ! ? : has( .exists(x, .matches(\"(a+)+\") event. http.request. header( - |all |re not * "
                            + "&a *a <<: % { } \\ \\u0000 -9223372036854775808 \0 \uFEFF \uD800 \u0085")
                    .split(" "));

    @Test
    void damagedRulesAreAnsweredWithPlaces() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> corpus = examples();
        for (int round = 0; round < ROUNDS; round++) {
            byte[] input = damaged(corpus, random).getBytes(StandardCharsets.UTF_8);
            flipSomeBytes(input, random);
            try {
                RuleCompilerFuzz.fuzzerTestOneInput(input);
            } catch (RuntimeException | Error failed) {
                throw new AssertionError(
                        "seed " + seed + ", round " + round + ":\n" + new String(input, StandardCharsets.UTF_8),
                        failed);
            }
        }
    }

    @Test
    void deepAndLongTextsAreAnswered() {
        for (String text : List.of(
                "",
                "\0",
                "[".repeat(20_000),
                "a.".repeat(20_000) + "b = 1",
                "x = " + "[".repeat(5_000),
                "[security.rules.http.a]\non = \"http.request\"\nif = '" + "(".repeat(5_000) + "'\n",
                "[security.rules.http.a]\non = \"http.request\"\nif = '" + "!".repeat(5_000) + "true'\n",
                "a: ".repeat(5_000),
                "- ".repeat(5_000),
                "x = " + "{a=".repeat(5_000),
                "{a: ".repeat(5_000))) {
            RuleCompilerFuzz.fuzzerTestOneInput(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static List<String> examples() throws IOException {
        List<String> examples = new ArrayList<>();
        String[] parts = Files.readString(RULES).split("```(toml|yaml)\n");
        for (int i = 1; i < parts.length; i++) {
            examples.add(parts[i].substring(0, parts[i].indexOf("```")));
        }
        return examples;
    }

    private static String damaged(List<String> corpus, Random random) {
        StringBuilder text = new StringBuilder(corpus.get(random.nextInt(corpus.size())));
        int wounds = 1 + random.nextInt(6);
        for (int i = 0; i < wounds && !text.isEmpty(); i++) {
            int at = random.nextInt(text.length());
            int end = Math.min(text.length(), at + 1 + random.nextInt(30));
            switch (random.nextInt(4)) {
                case 0 -> text.delete(at, end);
                case 1 -> text.insert(at, TOKENS.get(random.nextInt(TOKENS.size())));
                case 2 -> text.insert(at, text.substring(at, end));
                default -> {
                    String other = corpus.get(random.nextInt(corpus.size()));
                    int from = random.nextInt(other.length());
                    text.insert(at, other, from, Math.min(other.length(), from + 60));
                }
            }
        }
        return text.toString();
    }

    private static void flipSomeBytes(byte[] input, Random random) {
        for (int i = random.nextInt(4); i > 0 && input.length > 0; i--) {
            input[random.nextInt(input.length)] = (byte) random.nextInt(256);
        }
    }
}
