package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.bwrap.io.CgroupHost;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.SandboxSpec.Project;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class LaunchCommandTest {
    private static final BwrapFiles FILES = new BwrapFiles(
            Path.of("/d/capsem-launch"),
            Path.of("/d/capsem-agent"),
            Path.of("bwrap"),
            Path.of("/h/template"),
            Path.of("/h/ca/capsem-ca.crt"));

    @Test
    void limitsMemoryPerProcessWhereNoCgroupDoes() {
        assertThat(command(Optional.empty(), true)).containsSequence("--rlimit-data", "536870912");
        assertThat(command(Optional.empty(), false)).doesNotContain("--rlimit-data");
    }

    @Test
    void namesEveryDirectoryAndTheParent() {
        assertThat(command(Optional.empty(), false))
                .containsExactly(
                        "/d/capsem-launch", "sandbox",
                        "--parent", "77",
                        "--session", "/s/lab",
                        "--runtime", "/r/lab",
                        "--template", "/h/template/abc",
                        "--agent", "/d/capsem-agent",
                        "--bwrap", "/usr/bin/bwrap",
                        "--hostname", "lab",
                        "--tmp-size", "268435456",
                        "--id-range", "3",
                        "--rlimit-nproc", "100",
                        "--rlimit-nofile", "65536");
    }

    @Test
    void bindsAProjectForWritingOnlyWhenAsked() {
        Project copied = new Project(Path.of("/p/app"), "app", Project.Access.COPY_ON_WRITE);
        Project bound = new Project(Path.of("/p/app"), "app", Project.Access.READ_WRITE);

        assertThat(command(Optional.of(copied), false))
                .containsSequence("--project-lower", "/p/app", "--project-name", "app")
                .doesNotContain("--project-rw");
        assertThat(command(Optional.of(bound), false)).contains("--project-rw");
    }

    @Test
    void namesWhatIsShownAndWhatIsHidden() {
        Project copied = new Project(Path.of("/p/app"), "app", Project.Access.COPY_ON_WRITE);

        assertThat(command(Optional.of(copied), false))
                .containsSequence("--mount", "/t", "--mount-at", "/mnt/t", "--hide", ".env");
    }

    @Test
    void showsTheObjectsThatAWorktreeBorrows() {
        Project worktree = new Project(Path.of("/p/worktree"), "worktree", Project.Access.COPY_ON_WRITE);

        assertThat(command(Optional.of(worktree), false)).containsSequence("--git-objects", "/p/main/.git/objects");
    }

    private static List<String> command(Optional<Project> project, boolean memoryByRlimit) {
        SandboxSpec spec = new SandboxSpec(
                new SandboxId("lab"),
                Path.of("/s/lab"),
                Path.of("/r/lab"),
                new SandboxSpec.Limits(512, 2, 100),
                Map.of(),
                project,
                project.isEmpty()
                        ? SandboxSpec.View.NONE
                        : new SandboxSpec.View(
                                List.of(new SandboxSpec.Mount(Path.of("/t"), Path.of("/mnt/t"))), List.of(".env")),
                "default",
                "user");
        return LaunchCommand.of(
                FILES,
                Path.of("/usr/bin/bwrap"),
                Path.of("/h/template/abc"),
                spec,
                project.filter(given -> given.name().equals("worktree")).map(_ -> Path.of("/p/main/.git/objects")),
                OptionalInt.of(3),
                new CgroupHost.None().plan("lab", spec.limits()),
                memoryByRlimit,
                77);
    }
}
