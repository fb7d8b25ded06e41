package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.PathText;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectManifestTest {
    @TempDir
    Path root;

    private ProjectFixture fixture;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
    }

    @Test
    void savedAndLoadedIsTheSame() throws IOException {
        fixture.original("a b\n%.txt", "odd name").original("dir/x.txt", "x");
        Files.createSymbolicLink(fixture.project.resolve("link"), Path.of("/nowhere"));
        Path notText = PathText.parse("%FFname");
        Files.writeString(fixture.project.resolve(notText), "bytes");

        ProjectManifest.of(fixture.project).save(fixture.session);
        var loaded = ProjectManifest.load(fixture.session);

        assertThat(loaded.size()).isEqualTo(5);
        for (Path path : new Path[] {Path.of("a b\n%.txt"), Path.of("dir/x.txt"), Path.of("link"), notText}) {
            FileFacts facts = FileFacts.of(fixture.project.resolve(path), LinkOption.NOFOLLOW_LINKS);
            assertThat(loaded.entry(path).orElseThrow().describes(facts)).isTrue();
        }
    }

    @Test
    void doesNotFollowLinks() throws IOException {
        Files.createSymbolicLink(fixture.project.resolve("loop"), fixture.project);

        assertThat(ProjectManifest.of(fixture.project).size()).isEqualTo(1);
    }

    @Test
    void refusesMoreFilesThanItsLimit() {
        fixture.original("a", "").original("b", "").original("c", "");

        assertThatThrownBy(() -> ProjectManifest.of(fixture.project, 2))
                .isInstanceOfSatisfying(WorkspaceException.class, problem -> {
                    assertThat(problem.code()).isEqualTo(WorkspaceException.Code.PROJECT_TOO_LARGE);
                    assertThat(problem.remedy()).contains("--rw");
                });
    }

    @Test
    void aDamagedManifestSaysSo() throws IOException {
        Files.writeString(fixture.session.resolve(ProjectManifest.FILE_NAME), "capsem-project-manifest 1\nREGULAR 1\n");

        assertThatThrownBy(() -> ProjectManifest.load(fixture.session))
                .isInstanceOfSatisfying(
                        WorkspaceException.class,
                        problem -> assertThat(problem.code()).isEqualTo(WorkspaceException.Code.MANIFEST_DAMAGED));
    }
}
