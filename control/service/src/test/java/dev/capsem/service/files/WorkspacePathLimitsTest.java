package dev.capsem.service.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.service.problem.ServiceProblem;
import org.junit.jupiter.api.Test;

class WorkspacePathLimitsTest {
    @Test
    void aPartHasAtMost255Bytes() {
        assertThat(WorkspacePath.file("a".repeat(255)).name()).hasSize(255);
        assertThatThrownBy(() -> WorkspacePath.file("a".repeat(256))).isInstanceOf(ServiceProblem.class);
        assertThatThrownBy(() -> WorkspacePath.file("é".repeat(128))).isInstanceOf(ServiceProblem.class);
    }

    @Test
    void aPathHasAtMost4095Bytes() {
        String longest = "abc/".repeat(1_023) + "abc";

        assertThat(WorkspacePath.file(longest).text()).isEqualTo(longest).hasSize(4_095);
        assertThatThrownBy(() -> WorkspacePath.file(longest + "d")).isInstanceOf(ServiceProblem.class);
    }

    @Test
    void noPartHoldsNul() {
        assertThatThrownBy(() -> WorkspacePath.file("\0a")).isInstanceOf(ServiceProblem.class);
        assertThatThrownBy(() -> WorkspacePath.file("a\0")).isInstanceOf(ServiceProblem.class);
    }

    @Test
    void theWorkspaceItselfHasNoName() {
        assertThat(WorkspacePath.directory("/root").name()).isEmpty();
        assertThat(WorkspacePath.directory("a/b").name()).isEqualTo("b");
    }
}
