package dev.capsem.testkit.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestReportTest {
    @TempDir
    Path repository;

    private Path reports;

    @BeforeEach
    void makeFolder() throws IOException {
        reports = Files.createDirectories(repository.resolve("part/module/target/surefire-reports"));
    }

    private TestReport report(String cases, String... allowed) throws IOException {
        Files.writeString(reports.resolve("TEST-a.xml"), "<testsuite>" + cases + "</testsuite>");
        Path list = Files.writeString(repository.resolve("skips.txt"), String.join("\n", allowed));
        return TestReport.read(repository, AllowedSkips.read(list, "user"), List.of());
    }

    private static String test(String name, String time, String inside) {
        return "<testcase classname=\"dev.capsem.a.SomeTest\" name=\"%s\" time=\"%s\">%s</testcase>"
                .formatted(name, time, inside);
    }

    private static final String SKIPPED =
            "<skipped>org.opentest4j.TestAbortedException: Assumption failed: skipped: 'deno' is not installed\n\tat a</skipped>";

    @Test
    void aRunWithoutTestsIsNotGood() throws IOException {
        assertThat(report("").isGood()).isFalse();
    }

    @Test
    void saysWhatIsSlow() throws IOException {
        TestReport report = report(test("quick", "0.1", "") + test("slow(String)[2]", "1,000.5", ""));

        assertThat(report.isGood()).isTrue();
        assertThat(report.text())
                .containsSubsequence("1000.5 s  SomeTest.slow\n", "0.1 s  SomeTest.quick\n", "2 tests, 0 failed, 0");
    }

    @Test
    void aFailureIsNamed() throws IOException {
        TestReport report = report(test("one", "1", "<failure/>") + test("two", "1", "<error/>"));

        assertThat(report.isGood()).isFalse();
        assertThat(report.text()).contains("2 failed", "failed   SomeTest.one", "failed   SomeTest.two");
    }

    @Test
    void aSkipWithoutLeaveIsNotGood() throws IOException {
        TestReport report = report(
                test("absent(String)[1]", "0", SKIPPED),
                "any SomeTest.other: needs it",
                "root SomeTest.absent: not for a user");

        assertThat(report.isGood()).isFalse();
        assertThat(report.text())
                .contains(
                        "skipped  SomeTest.absent: 'deno' is not installed (1)", "Not named there:\n  SomeTest.absent");
    }

    @Test
    void aSkipWithLeaveIsCounted() throws IOException {
        TestReport report =
                report(test("absent(String)[1]", "0", SKIPPED), "# a comment", "user SomeTest.absent: needs it");

        assertThat(report.isGood()).isTrue();
        assertThat(report.text())
                .contains("1 tests, 0 failed, 1 skipped", "SomeTest.absent: 'deno' is not installed (1)");
    }

    @Test
    void whatCouldNotBeInstalledExcusesWhoNeedsIt() throws IOException {
        TestReport report = report(test("absent", "0", SKIPPED) + test("other", "0", "<skipped>for fun</skipped>"));

        TestReport offline = new TestReport(report.tests(), report.allowed(), List.of("npm:deno"));

        assertThat(offline.text())
                .contains("Could not be installed here: npm:deno", "Not named there:\n  SomeTest.other\n")
                .doesNotContain("Not named there:\n  SomeTest.absent");
    }

    @Test
    void aClassThatIsSkippedWholeHasItsOwnName() throws IOException {
        TestReport report = report(test("", "0", SKIPPED), "user SomeTest: needs it");

        assertThat(report.isGood()).isTrue();
    }

    @Test
    void everyLeaveHasAReason() {
        assertThatThrownBy(() -> report("", "any SomeTest.absent: ")).hasMessageContaining("reason");
    }
}
