package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A user's project inside, copy-on-write: nothing outside changes until `apply`, and `apply` never overwrites
/// newer work.
@Tag("e2e")
class ProjectTest {
    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void changesStayInsideUntilApplied(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            Path project = project(installation);
            String id = created(installation, "create", "--workspace", project.toString());

            Outcome changed = installation.capsem(
                    "exec",
                    id,
                    "--",
                    "sh",
                    "-c",
                    "cd /root/app && echo two >> a.txt && rm b.txt && mkdir n && echo new > n/c.txt");
            Outcome diff = installation.capsem("diff", id);

            assertThat(changed.exitCode()).as("%s", changed.stderr()).isZero();
            assertThat(project.resolve("a.txt")).hasContent("one\n");
            assertThat(project.resolve("b.txt")).exists();
            assertThat(project.resolve("n")).doesNotExist();
            assertThat(diff.stdout())
                    .contains("+two")
                    .contains("b.txt")
                    .contains("n/c.txt")
                    .contains("+new");

            Outcome some = installation.capsem("apply", id, "a.txt");
            assertThat(some.exitCode()).as("%s", some.stderr()).isZero();
            assertThat(project.resolve("a.txt")).hasContent("one\ntwo\n");
            assertThat(project.resolve("b.txt")).exists();

            Outcome rest = installation.capsem("apply", id, "b.txt", "n");
            assertThat(rest.exitCode()).as("%s", rest.stderr()).isZero();
            assertThat(project.resolve("b.txt")).doesNotExist();
            assertThat(project.resolve("n/c.txt")).hasContent("new\n");
            if (account == Account.USER) {
                assertThat(Files.getAttribute(project.resolve("n/c.txt"), "unix:uid"))
                        .isEqualTo(Files.getAttribute(project, "unix:uid"));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void applyRefusesWhenTheOriginalMovedOn(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            Path project = project(installation);
            String id = created(installation, "create", "--workspace", project.toString());
            installation.capsem("exec", id, "--", "sh", "-c", "echo guest > /root/app/a.txt; echo g > /root/app/b.txt");
            Files.writeString(project.resolve("a.txt"), "the user's newer work\n");

            Outcome refused = installation.capsem("apply", id);

            assertThat(refused.exitCode()).isNotZero();
            assertThat(refused.stderr()).contains("a.txt").contains("--force");
            assertThat(project.resolve("a.txt")).hasContent("the user's newer work\n");
            assertThat(project.resolve("b.txt")).hasContent("b\n");
            assertThat(installation.capsem("apply", id, "--force").exitCode()).isZero();
            assertThat(project.resolve("a.txt")).hasContent("guest\n");
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void readWriteBindsTheDirectoryItself(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            Path project = project(installation);

            Outcome run = installation.capsem(
                    "run", "--workspace", project.toString(), "--rw", "--", "sh", "-c", "pwd; echo direct > d.txt");

            assertThat(run.exitCode()).as("%s", run.stderr()).isZero();
            assertThat(run.stdout()).contains("/root/app");
            assertThat(project.resolve("d.txt")).hasContent("direct\n");
            assertThat(Files.getAttribute(project.resolve("d.txt"), "unix:uid"))
                    .isEqualTo(Files.getAttribute(project, "unix:uid"));
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void runInAProjectTellsHowToBringChangesBack(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            Path project = project(installation);

            Outcome run = installation.capsem(
                    new byte[0], project, "run", "--workspace", ".", "--", "sh", "-c", "echo two >> a.txt; exit 4");

            assertThat(run.exitCode()).isEqualTo(4);
            assertThat(run.stderr()).contains("capsem diff").contains("capsem apply");
            assertThat(project.resolve("a.txt")).hasContent("one\n");
        }
    }

    private static Path project(Installation installation) throws IOException {
        Path project = installation.userDirectory().resolve("app");
        Files.createDirectories(project.resolve("src"));
        Files.writeString(project.resolve("a.txt"), "one\n");
        Files.writeString(project.resolve("b.txt"), "b\n");
        Files.writeString(project.resolve("src/main.c"), "int main(void) { return 0; }\n");
        installation.handOver(project);
        return project;
    }

    private static String created(Installation installation, String... arguments) {
        List<String> all = new java.util.ArrayList<>(List.of(arguments));
        all.add("--json");
        Outcome outcome = installation.capsem(all.toArray(String[]::new));
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
        return Installation.JSON.readTree(outcome.stdout()).path("id").asString();
    }
}
