package dev.capsem.sandbox.bwrap.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.bwrap.io.CgroupHost.Controller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupFilesTest {
    @TempDir
    private Path root;

    @Test
    void prefersVersion2WhereItLimitsMemory() throws IOException {
        Path unified = unified("memory", "pids", "cpu");
        Path memory = Files.createDirectories(root.resolve("memory"));
        String mounts = "cgroup2 " + unified + " cgroup2 rw 0 0\ncgroup " + memory + " cgroup rw,memory 0 0\n";

        CgroupHost host = CgroupFiles.detect(mounts, "0::/\n");

        assertThat(host).isInstanceOf(CgroupHost.Version2.class);
        assertThat(host.grants(Controller.MEMORY)).isTrue();
    }

    @Test
    void takesVersion1FromAHybridHost() throws IOException {
        Path unified = root.resolve("unified");
        Files.createDirectories(unified);
        Path memory = Files.createDirectories(root.resolve("memory"));
        Path freezer = Files.createDirectories(root.resolve("freezer"));
        String mounts = "cgroup2 " + unified + " cgroup2 rw 0 0\ncgroup " + memory
                + " cgroup rw,relatime,memory 0 0\ncgroup " + freezer + " cgroup rw,freezer 0 0\n";

        CgroupHost host = CgroupFiles.detect(mounts, "0::/\n");

        assertThat(host)
                .isEqualTo(new CgroupHost.Version1(Map.of(
                        Controller.MEMORY, memory.resolve("capsem"), Controller.FREEZER, freezer.resolve("capsem"))));
    }

    @Test
    void grantsNothingWhereThereIsNothing() {
        assertThat(CgroupFiles.detect("proc /proc proc rw 0 0\n", "")).isEqualTo(new CgroupHost.None());
    }

    @Test
    void leavesNoGroupBehindWhenALimitCannotBeSet() {
        Path directory = root.resolve("group");
        CgroupHost.Plan plan = new CgroupHost.Plan(
                List.of(new CgroupHost.Group(directory, List.of(new CgroupHost.Setting("memory.max", "1", true)))),
                Optional.empty());

        assertThatThrownBy(() -> CgroupFiles.create(plan))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("limits");
        assertThat(directory).doesNotExist();
    }

    @Test
    void removingWhatIsGoneIsFine() {
        assertThat(CgroupFiles.remove(List.of(root.resolve("never-there")))).isTrue();
    }

    @Test
    void sweepsOnlyTheGroupsOfDeadProcesses() throws IOException {
        CgroupHost host = new CgroupHost.Version2(root, Set.of(Controller.FREEZER));
        Path mine = Files.createDirectory(root.resolve(
                CgroupFiles.ownedName("lab", ProcessHandle.current().pid())));
        // Beyond the largest pid that Linux gives out.
        Path orphan = Files.createDirectory(root.resolve(CgroupFiles.ownedName("lab", 99_999_999)));
        Path other = Files.createDirectory(root.resolve("unnamed"));

        CgroupFiles.sweep(host);

        assertThat(mine).exists();
        assertThat(other).exists();
        assertThat(orphan).doesNotExist();
    }

    @Test
    void groupsOfAnotherPidNamespaceAreLeftAlone() throws IOException {
        CgroupHost host = new CgroupHost.Version2(root, Set.of(Controller.FREEZER));
        Path foreign = Files.createDirectory(root.resolve("lab-p1-99999999"));
        Path unmarked = Files.createDirectory(root.resolve("lab-99999998"));
        Files.writeString(unmarked.resolve("cgroup.procs"), "4711\n");

        CgroupFiles.sweep(host);

        assertThat(foreign).exists();
        assertThat(unmarked).exists();
        assertThat(unmarked.resolve("cgroup.kill")).doesNotExist();
        assertThat(foreign.resolve("cgroup.kill")).doesNotExist();
    }

    private Path unified(String... controllers) throws IOException {
        Path unified = root.resolve("unified");
        Files.createDirectories(unified.resolve("capsem"));
        for (Path directory : List.of(unified, unified.resolve("capsem"))) {
            Files.writeString(directory.resolve("cgroup.procs"), "");
            Files.writeString(directory.resolve("cgroup.subtree_control"), String.join(" ", controllers));
        }
        return unified;
    }
}
