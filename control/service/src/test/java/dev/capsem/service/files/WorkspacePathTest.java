package dev.capsem.service.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.service.problem.ServiceProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkspacePathTest {
    private static void refused(ServiceProblem.Code code, String path) {
        assertThatThrownBy(() -> WorkspacePath.file(path))
                .as("%s", path)
                .isInstanceOfSatisfying(
                        ServiceProblem.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(code));
    }

    @Test
    void takesPathsAsTheyAre() {
        assertThat(WorkspacePath.file("a/b").parts()).containsExactly("a", "b");
        assertThat(WorkspacePath.file("/root/a/b").text()).isEqualTo("a/b");
        assertThat(WorkspacePath.file("root/a").text()).isEqualTo("root/a");
        assertThat(WorkspacePath.file("a b/…ä?*'\"\\.txt").text()).isEqualTo("a b/…ä?*'\"\\.txt");
        assertThat(WorkspacePath.file("...").text()).isEqualTo("...");
        assertThat(WorkspacePath.file("a..b").text()).isEqualTo("a..b");
        assertThat(WorkspacePath.directory("").parts()).isEmpty();
        assertThat(WorkspacePath.directory("/root").parts()).isEmpty();
        assertThat(WorkspacePath.directory("/root/").parts()).isEmpty();
    }

    @Test
    void refusesWhatItWouldHaveToAlter() {
        for (String path : List.of(
                "",
                "/root",
                "..",
                "a/..",
                "../a",
                "a/../b",
                "a//b",
                "a/",
                "./a",
                "a/./b",
                "/root//a",
                "a\0b",
                "x".repeat(256),
                "a/".repeat(2_100) + "a")) {
            refused(ServiceProblem.Code.BAD_PATH, path);
        }
    }

    @Test
    void refusesWhatLiesOutside() {
        for (String path : List.of("/etc/passwd", "/", "/rooted/a", "//root/a")) {
            refused(ServiceProblem.Code.PATH_OUTSIDE, path);
        }
    }
}
