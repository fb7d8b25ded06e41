package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// What the gate must not do: take unlinted classes for linted ones, or a second try for a pass.
class GateTest {
    private static final Path ROOT = Path.of("../..");

    @Test
    void quickBuildsAndCheckedBuildsShareNoClasses() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));

        assertThat(pom)
                .contains("<outputDirectory>${project.build.directory}/${classes.folder}classes</outputDirectory>")
                .contains(
                        "<testOutputDirectory>${project.build.directory}/${classes.folder}test-classes</testOutputDirectory>")
                .containsPattern(
                        "<id>checked</id>\\s*<activation><activeByDefault>true</activeByDefault></activation>\\s*"
                                + "<properties><classes.folder>checked/</classes.folder></properties>");
        // Only the build for newcomers is quick.
        assertThat(Files.readString(ROOT.resolve("scripts/test"))).doesNotContain("quick");
    }

    @Test
    void noTestIsRunTwice() throws IOException {
        for (String file : new String[] {"scripts/test", ".ci/run", "pom.xml"}) {
            assertThat(Files.readString(ROOT.resolve(file))).as(file).doesNotContainIgnoringCase("rerunFailing");
        }
    }
}
