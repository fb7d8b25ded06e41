package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Every line of the README works as it stands, in order, for somebody with an empty home.
@Tag("e2e")
class ReadmeTest {
    private static final Path REPOSITORY = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
    private static final Pattern HERE = Pattern.compile("<<'(\\w+)'$");
    private static final Pattern CODE = Pattern.compile("#.*exit code (\\d+)");
    /// The gate runs this test, and DemoTest the other.
    private static final List<String> TESTED_ELSEWHERE = List.of("./capsem demo", "./capsem test");

    @Test
    void everyLineWorksInOrder() throws IOException {
        List<String> commands = commands();
        assertThat(commands).hasSizeGreaterThan(35);
        try (Installation installation = Installation.prepare(Account.USER)) {
            Path directory = newcomersClone(installation);
            for (String command : commands) {
                Matcher code = CODE.matcher(command);
                int expected = code.find() ? Integer.parseInt(code.group(1)) : 0;

                Outcome outcome = run(installation, directory, command);

                assertThat(outcome.exitCode())
                        .as("%s%n%s%s", command, outcome.stdout(), outcome.stderr())
                        .isEqualTo(expected);
                assertThat(outcome.stderr()).as(command).doesNotContain("→ capsem ", "`capsem ");
            }
            assertThat(Files.readString(directory.resolve("notes.txt"))).isEqualTo("hello\nhi\n");
            assertThat(installation.socket()).doesNotExist();
        }
    }

    @Test
    void hintsOfALineCanBeTyped() throws IOException {
        try (Installation installation = Installation.prepare(Account.USER)) {
            Path directory = newcomersClone(installation);

            Outcome run = run(
                    installation, directory, "./capsem run --name hinted --workspace . -- sh -c 'echo hi > new.txt'");

            assertThat(run.stderr()).contains("./capsem diff hinted");
            assertThat(run(installation, directory, "./capsem diff hinted").exitCode())
                    .isZero();
        }
    }

    private static List<String> commands() throws IOException {
        List<String> commands = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(Files.readString(REPOSITORY.resolve("README.md")));
        while (blocks.find()) {
            String end = "";
            for (String line : blocks.group(1).lines().toList()) {
                Matcher here = HERE.matcher(line);
                if (!end.isEmpty()) {
                    commands.add(commands.removeLast() + "\n" + line);
                    end = line.equals(end) ? "" : end;
                } else if (!line.isBlank() && TESTED_ELSEWHERE.stream().noneMatch(line::startsWith)) {
                    commands.add(line);
                    end = here.find() ? here.group(1) : "";
                }
            }
        }
        return commands;
    }

    /// The programs are built: what is left of the script at the root is that it says how it was called.
    private static Path newcomersClone(Installation installation) throws IOException {
        Path directory = Files.createDirectories(installation.userDirectory().resolve("capsem-java"));
        Path script = directory.resolve("capsem");
        Files.writeString(
                script,
                "#!/bin/sh\nCAPSEM_CALLED_AS=\"$0\" exec " + installation.program("capsem") + " \"$@\"\n",
                StandardCharsets.UTF_8);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createSymbolicLink(directory.resolve("dist"), installation.dist());
        Files.createSymbolicLink(installation.userDirectory().resolve(".capsem"), installation.home());
        installation.handOver(directory);
        installation.handOver(installation.userDirectory().resolve(".capsem"));
        return directory;
    }

    /// A shell wants a terminal; whoever asks for a secret or a conversation takes stdin.
    private static Outcome run(Installation installation, Path directory, String command) {
        boolean wantsTerminal = command.startsWith("./capsem shell");
        List<String> argv = wantsTerminal
                ? List.of("script", "-qec", command.replaceFirst("#.*", ""), "/dev/null")
                : List.of("bash", "-o", "pipefail", "-c", command);
        byte[] typed = (wantsTerminal ? "exit\n" : command.contains("secret set") ? "value" : "")
                .getBytes(StandardCharsets.UTF_8);
        return Commands.run(installation.account().command(argv), installation.environment(), directory, typed);
    }
}
