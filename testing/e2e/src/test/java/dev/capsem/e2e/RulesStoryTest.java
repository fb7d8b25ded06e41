package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A new user's first session with rules, by what the messages say and nothing else. The transcript goes to
/// `target/rules-story.txt`; `docs/rules.md` shows it, and is compared with it.
@Tag("e2e")
class RulesStoryTest {
    private static final Path DOCUMENT = Path.of("../../docs/rules.md");
    private static final Path TRANSCRIPT = Path.of("target/rules-story.txt");

    private static final String FIRST_TRY = """
            [security.rules.process.no_curl]
            on = "process.exec"
            if = 'process.exec.comand.startsWith("curl")'
            decision = "block"
            priority = 10
            reason = "agents here need no network tools"
            """;

    private final StringBuilder transcript = new StringBuilder();

    @Test
    void aTypoIsFixedFromTheMessageAndABlockIsLiftedFromTheAnswer() throws IOException {
        try (Installation installation = Installation.start(Account.available().getFirst())) {
            write(installation, FIRST_TRY);

            // A typo, and its message.
            Outcome mistaken = tell(installation, 1, "rules", "check", "no-curl.toml");
            Matcher hint =
                    Pattern.compile("[Dd]id you mean [`'\"]?([a-z_.]+[a-z_])").matcher(mistaken.stdout());
            assertThat(hint.find()).as(mistaken.stdout()).isTrue();
            String wrong = Pattern.compile("process\\.exec\\.[a-z]+")
                    .matcher(FIRST_TRY)
                    .results()
                    .findFirst()
                    .orElseThrow()
                    .group();
            write(installation, FIRST_TRY.replace(wrong + ".startsWith", hint.group(1) + ".startsWith"));
            tell(installation, 0, "rules", "check", "no-curl.toml");

            // In force, and seen.
            tell(installation, 0, "rules", "add", "no-curl.toml");
            tell(installation, 0, "create", "--name", "lab");
            Outcome blocked = tell(installation, 126, "exec", "lab", "--", "curl", "--version");
            assertThat(blocked.stdout()).isEmpty();
            assertThat(blocked.stderr())
                    .contains("security.rules.process.no_curl")
                    .contains("agents here need no network tools");

            // Why, and the way out, by the command that the answer names.
            Matcher why = Pattern.compile("capsem (rules why lab)").matcher(blocked.stderr());
            assertThat(why.find()).as(blocked.stderr()).isTrue();
            Outcome answer = tell(installation, 0, why.group(1).split(" "));
            assertThat(answer.stdout()).contains("→ capsem rules why lab --toml | capsem rules add -");
            Outcome rule = installation.capsem("rules", "why", "lab", "--toml");
            tell(installation, 0, rule.stdoutBytes(), "rules why lab --toml | capsem rules add -", "rules", "add", "-");

            Outcome allowed = tell(installation, 0, "exec", "lab", "--", "curl", "--version");
            assertThat(allowed.stdout()).startsWith("curl ");
            assertThat(installation
                            .capsem("exec", "lab", "--", "curl", "https://example.org")
                            .exitCode())
                    .as("what was not allowed is still blocked")
                    .isEqualTo(126);
            Files.createDirectories(TRANSCRIPT.toAbsolutePath().getParent());
            Files.writeString(
                    TRANSCRIPT,
                    transcript.toString().replace(installation.home().toString(), "~/.capsem"));
        }
        assertThat(documented())
                .as("docs/rules.md, \"A first session\"; the transcript is in %s", TRANSCRIPT)
                .isNotEmpty()
                .allSatisfy(line -> assertThat(Files.readString(TRANSCRIPT)).contains(line));
    }

    private static void write(Installation installation, String rules) throws IOException {
        Path file = installation.userDirectory().resolve("no-curl.toml");
        Files.writeString(file, rules);
        installation.handOver(file);
    }

    private Outcome tell(Installation installation, int exitCode, String... words) {
        return tell(installation, exitCode, new byte[0], String.join(" ", words), words);
    }

    private Outcome tell(Installation installation, int exitCode, byte[] stdin, String shown, String... words) {
        Outcome outcome = installation.capsem(stdin, installation.userDirectory(), words);
        transcript.append("$ capsem ").append(shown).append('\n');
        transcript.append(outcome.stdout()).append(outcome.stderr());
        if (exitCode != 0) {
            transcript.append("(exit code ").append(outcome.exitCode()).append(")\n");
        }
        transcript.append('\n');
        assertThat(outcome.exitCode()).as("%s\n%s", shown, transcript).isEqualTo(exitCode);
        return outcome;
    }

    /// Lines of the transcript in the document; what it leaves out is marked with `…`.
    private static List<String> documented() throws IOException {
        String text = Files.readString(DOCUMENT, StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        int start = text.indexOf("```console", text.indexOf("## A first session"));
        for (String line : text.substring(start, text.indexOf("\n```\n", start))
                .lines()
                .skip(1)
                .toList()) {
            if (!line.isBlank() && !line.contains("…")) {
                lines.add(line.strip());
            }
        }
        return lines;
    }
}
