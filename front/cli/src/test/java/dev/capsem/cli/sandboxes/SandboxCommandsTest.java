package dev.capsem.cli.sandboxes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.screen.Screen.Terminals;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.SandboxSummary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxCommandsTest {
    @TempDir
    Path root;

    private final CliHarness cli = new CliHarness();

    @Test
    void createPrintsTheIdAndNothingElse() {
        assertThat(cli.run("create")).isEqualTo(new Outcome(0, "brave-otter-tmp\n", ""));
        assertThat(cli.service.provisioned.orElseThrow().persistent()).isFalse();
    }

    @Test
    void aNamedSandboxIsKept() {
        assertThat(cli.run("create", "--name", "lab").out()).isEqualTo("lab\n");
        assertThat(cli.service.provisioned.orElseThrow().persistent()).isTrue();
        assertThat(Json.parse(cli.run("create", "-n", "lab", "--json").out())
                        .path("id")
                        .asString())
                .isEqualTo("lab");
    }

    @Test
    void verbsSayWhatTheyDid() {
        String said = cli.run("stop", "lab", "brave-otter-tmp").out()
                + cli.run("suspend", "lab").out()
                + cli.run("resume", "lab").out()
                + cli.run("persist", "brave-otter-tmp", "lab").out()
                + cli.run("fork", "lab", "lab-2").out()
                + cli.run("rm", "lab", "lab-2").out()
                + cli.run("purge").out();

        assertThat(said).isEqualTo("""
                lab stopped
                brave-otter-tmp stopped and deleted
                lab suspended (freeze)
                lab goes on where it was
                brave-otter-tmp is now lab
                lab-2 is a copy of lab (2.5 MiB), stopped; start it: capsem resume lab-2
                lab deleted
                lab-2 deleted
                2 temporary and 0 persistent deleted
                """);
    }

    @Test
    void quietVerbsSayNothing() {
        assertThat(cli.run("stop", "-q", "lab").out()).isEmpty();
        assertThat(cli.run("rm", "-q", "lab").out()).isEmpty();
    }

    @Test
    void purgeOfEverythingAsksFirst() {
        cli.terminals = new Terminals(true, true, true);
        cli.stdin = "n\n".getBytes(StandardCharsets.UTF_8);
        assertThat(cli.run("purge", "--all").exitCode()).isEqualTo(1);
        assertThat(cli.service.calls).isEmpty();

        cli.stdin = "y\n".getBytes(StandardCharsets.UTF_8);
        assertThat(cli.run("purge", "--all").exitCode()).isZero();
        assertThat(cli.service.calls).containsExactly("purge all");
    }

    @Test
    void purgeOfEverythingNeedsAYesWhenThereIsNobodyToAsk() {
        assertThat(cli.run("purge", "--all").exitCode()).isEqualTo(2);
        assertThat(cli.service.calls).isEmpty();

        assertThat(cli.run("purge", "--all", "-y").exitCode()).isZero();
    }

    @Test
    void purgeSaysWhatRunKeptAndDeletesItWhenTold() {
        cli.service.sandboxes.add(SandboxSummary.fromJson(Json.object()
                .put("id", "app-2bfd5")
                .put("status", "Stopped")
                .put("persistent", true)
                .put("project", "/home/me/app")));
        cli.service.sandboxes.add(SandboxSummary.fromJson(
                Json.object().put("id", "mine").put("status", "Stopped").put("persistent", true)));

        Outcome told = cli.run("purge");
        assertThat(told.err())
                .contains("kept, with changes of a project: app-2bfd5")
                .contains("purge --kept");
        assertThat(cli.service.calls).containsExactly("purge");

        assertThat(cli.run("purge", "--kept").out()).isEqualTo("2 temporary and 1 persistent deleted\n");
        assertThat(cli.service.calls).containsExactly("purge", "delete app-2bfd5", "purge");
    }

    @Test
    void filesAreCopiedIn() throws IOException {
        cli.directory = root;
        Files.writeString(root.resolve("notes.txt"), "text");

        assertThat(cli.run("cp", "notes.txt", "lab:dir/").exitCode()).isZero();

        assertThat(cli.service.files.get("lab:dir/notes.txt")).asString().isEqualTo("text");
    }

    @Test
    void filesAreCopiedOutIntoADirectoryOrToStdout() throws IOException {
        cli.directory = root;
        cli.service.files.put("lab:out/report.txt", "report".getBytes(StandardCharsets.UTF_8));

        assertThat(cli.run("cp", "lab:out/report.txt", ".").exitCode()).isZero();
        assertThat(cli.run("cp", "lab:out/report.txt", "-").out()).isEqualTo("report");

        assertThat(root.resolve("report.txt")).hasContent("report");
    }

    @Test
    void aMissingFileLeavesTheTargetAlone() throws IOException {
        cli.directory = root;
        Files.writeString(root.resolve("mine.txt"), "mine");

        assertThat(cli.run("cp", "lab:nope", "mine.txt").exitCode()).isEqualTo(125);

        assertThat(root.resolve("mine.txt")).hasContent("mine");
    }

    @Test
    void cpSaysWhatIsWrongWithAFileOfOurs() throws IOException {
        cli.directory = root;
        cli.service.files.put("lab:report.txt", "report".getBytes(StandardCharsets.UTF_8));

        Outcome missing = cli.run("cp", "nofile", "lab:");
        Outcome nowhere = cli.run("cp", "lab:report.txt", "no/where.txt");

        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("there is no file " + root.resolve("nofile"));
        assertThat(nowhere.err())
                .contains("there is no directory " + root.resolve("no"))
                .contains("mkdir -p");
    }

    @Test
    void cpNeedsExactlyOneSandbox() {
        assertThat(cli.run("cp", "a", "b").err()).contains("one side must be SANDBOX:PATH");
        assertThat(cli.run("cp", "lab:a", "lab:b").err()).contains("only one side");
        assertThat(cli.run("cp", "/tmp/odd:name", "b").exitCode()).isEqualTo(2);
        assertThat(cli.run("cp", "-", "lab:").exitCode()).isEqualTo(2);
    }
}
