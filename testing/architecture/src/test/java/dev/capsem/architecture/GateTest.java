package dev.capsem.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the gate must not do: take unlinted classes for linted ones, leave out a question, or try a test twice.
@Tag("shape")
class GateTest {
    private static final Path ROOT = Path.of("../..");

    @Test
    void quickBuildsAndCheckedBuildsShareNoClasses() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));

        assertThat(pom)
                .contains("<outputDirectory>${project.build.directory}/${classes.folder}classes</outputDirectory>")
                .contains(
                        "<testOutputDirectory>${project.build.directory}/${classes.folder}test-classes</testOutputDirectory>")
                .contains("    <classes.folder>checked/</classes.folder>")
                .containsPattern("<id>quick</id>\\s*<properties><classes.folder/></properties>");
        // Only the build for newcomers is quick.
        for (String script : List.of("scripts/test", "scripts/check")) {
            assertThat(Files.readString(ROOT.resolve(script))).as(script).doesNotContain("quick");
        }
    }

    /// Format, linters and shape are asked for by the gate's build and by nothing else.
    @Test
    void theBuildOfTheGateSkipsNoQuestion() throws IOException {
        String build = Files.readString(ROOT.resolve("scripts/build"));
        String checked = build.substring(build.indexOf("if $is_checked; then"));

        assertThat(Files.readString(ROOT.resolve("scripts/test"))).contains("scripts/build\" --checked || exit 1");
        assertThat(checked.substring(0, checked.indexOf("else")))
                .contains("-P!quick", "-Dtest=\"$shape_tests\"")
                .doesNotContain("skip", "-pl");
    }

    @Test
    void noTestIsRunTwice() throws IOException {
        for (String file : List.of("scripts/test", "scripts/check", ".ci/run", "pom.xml")) {
            assertThat(Files.readString(ROOT.resolve(file))).as(file).doesNotContainIgnoringCase("rerunFailing");
        }
    }
}
