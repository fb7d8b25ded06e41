package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The programs on the pages for each client are at least programs: their own language reads them. Nothing is run, and
/// the frameworks they import need not be there.
@Tag("e2e")
class IntegrationCodeTest {
    private static final Path PAGES = Path.of("../../docs/integrations");

    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    @ParameterizedTest
    @CsvSource({"python, 6, py, python3 -m py_compile", "js, 1, mjs, node --check", "sh, 2, sh, sh -n"})
    void everyProgramCanBeRead(String language, int count, String extension, String reader) throws IOException {
        List<String> argv = List.of(reader.split(" "));
        Assumptions.assumeTrue(isInstalled(argv.getFirst()), "skipped: " + argv.getFirst() + " is not installed");

        List<Path> programs = programs(language, extension);

        assertThat(programs).hasSize(count);
        for (Path program : programs) {
            List<String> command = new ArrayList<>(argv);
            command.add(program.toString());
            Outcome read = Commands.run(command, Map.of(), directory, new byte[0]);
            assertThat(read.exitCode())
                    .as("%s: %s", program.getFileName(), read.stderr())
                    .isZero();
        }
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /// Each block of the pages as a file, named after its page.
    private List<Path> programs(String language, String extension) throws IOException {
        Pattern block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL);
        List<Path> programs = new ArrayList<>();
        try (Stream<Path> pages = Files.list(PAGES)) {
            for (Path page : pages.sorted().toList()) {
                Matcher found = block.matcher(Files.readString(page));
                while (found.find()) {
                    String name = page.getFileName() + "-" + programs.size() + "." + extension;
                    programs.add(Files.writeString(directory.resolve(name), found.group(1)));
                }
            }
        }
        return programs;
    }
}
