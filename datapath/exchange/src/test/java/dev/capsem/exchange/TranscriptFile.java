package dev.capsem.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A conversation with an exchange, readable as a play. Lines that begin with `=` say how things stand, those with `>`
/// are inputs, those with `<` the actions that follow; `#` begins a remark. The whole file is compared.
/// `-Dgolden.update` writes the actions anew; the diff is then reviewed.
public final class TranscriptFile {
    private static final Path ROOT = Path.of("src", "test", "transcripts");
    private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|(\\S+)");

    private TranscriptFile() {}

    /// An exchange with its surroundings.
    public interface Play {
        /// @param words of a line that begins with `=`
        void given(Words words);

        /// @param words of a line that begins with `>`
        /// @return what the exchange does then, one line each
        List<String> on(Words words);
    }

    /// The words of a line; a text in quotes is one word.
    public record Words(List<String> all) {
        public Words {
            all = List.copyOf(all);
        }

        public String first() {
            return all.getFirst();
        }

        public String at(int index) {
            return all.get(index);
        }

        public boolean has(int index) {
            return index < all.size();
        }

        /// Those from there on.
        public List<String> from(int index) {
            return all.subList(Math.min(index, all.size()), all.size());
        }
    }

    /// @param folder below `src/test/transcripts`
    public static Stream<Path> in(String folder) {
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            return files.sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void perform(Path file, Play play) {
        try {
            String written = Files.readString(file);
            String played = played(written, play);
            if (System.getProperty("golden.update") != null) {
                Files.writeString(file, played);
            }
            assertThat(played)
                    .as("%s; run with -Dgolden.update and review", file)
                    .isEqualTo(Files.readString(file))
                    .contains("\n> ", "\n< ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String played(String written, Play play) {
        StringBuilder played = new StringBuilder();
        for (String line : written.lines().toList()) {
            if (line.startsWith("<")) {
                continue;
            }
            played.append(line).append('\n');
            if (line.startsWith("=")) {
                play.given(words(line));
            } else if (line.startsWith(">")) {
                play.on(words(line))
                        .forEach(action -> played.append("< ").append(action).append('\n'));
            } else {
                assertThat(line).matches("#.*|");
            }
        }
        return played.toString();
    }

    private static Words words(String line) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(line.substring(1));
        while (matcher.find()) {
            words.add(matcher.group(1) == null ? matcher.group(2) : unquoted(matcher.group(1)));
        }
        return new Words(words);
    }

    private static String unquoted(String text) {
        return text.replace("\\n", "\n").replace("\\\"", "\"");
    }

    public static String quoted(String text) {
        return '"' + text.replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
