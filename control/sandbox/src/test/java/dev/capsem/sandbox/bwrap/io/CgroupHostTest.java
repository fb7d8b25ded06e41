package dev.capsem.sandbox.bwrap.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.bwrap.io.CgroupHost.Controller;
import dev.capsem.sandbox.bwrap.io.CgroupHost.Plan;
import dev.capsem.wire.SandboxSpec.Limits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CgroupHostTest {
    private static final Limits LIMITS = new Limits(512, 2, 100);

    @Test
    void version1UsesOneGroupPerHierarchy() {
        CgroupHost host = new CgroupHost.Version1(Map.of(
                Controller.MEMORY, Path.of("/cg/memory/capsem"),
                Controller.CPU, Path.of("/cg/cpu/capsem"),
                Controller.FREEZER, Path.of("/cg/freezer/capsem")));

        Plan plan = host.plan("lab-7", LIMITS);

        assertThat(lines(plan))
                .containsExactly(
                        "/cg/memory/capsem/lab-7/memory.limit_in_bytes = 536870912",
                        "/cg/memory/capsem/lab-7/memory.memsw.limit_in_bytes = 536870912 if there",
                        "/cg/cpu/capsem/lab-7/cpu.cfs_period_us = 100000",
                        "/cg/cpu/capsem/lab-7/cpu.cfs_quota_us = 200000");
        assertThat(plan.joinFiles())
                .containsExactly(
                        Path.of("/cg/memory/capsem/lab-7/cgroup.procs"),
                        Path.of("/cg/cpu/capsem/lab-7/cgroup.procs"),
                        Path.of("/cg/freezer/capsem/lab-7/cgroup.procs"));
        assertThat(plan.freezer())
                .hasValueSatisfying(freezer ->
                        assertThat(freezer.controlFile()).isEqualTo(Path.of("/cg/freezer/capsem/lab-7/freezer.state")));
        assertThat(host.grants(Controller.PIDS)).isFalse();
    }

    @Test
    void version2UsesOneGroupForAll() {
        CgroupHost host = new CgroupHost.Version2(
                Path.of("/cg/capsem"), Set.of(Controller.MEMORY, Controller.PIDS, Controller.CPU, Controller.FREEZER));

        Plan plan = host.plan("lab-7", LIMITS);

        assertThat(lines(plan))
                .containsExactly(
                        "/cg/capsem/lab-7/memory.max = 536870912",
                        "/cg/capsem/lab-7/memory.swap.max = 0 if there",
                        "/cg/capsem/lab-7/pids.max = " + (100 + CgroupHost.OWN_PIDS),
                        "/cg/capsem/lab-7/cpu.max = 200000 100000");
        assertThat(plan.joinFiles()).containsExactly(Path.of("/cg/capsem/lab-7/cgroup.procs"));
        assertThat(plan.freezer()).isPresent();
    }

    @Test
    void withoutCgroupsThereIsNothingToJoinAndNoFreezer() {
        Plan plan = new CgroupHost.None().plan("lab-7", LIMITS);

        assertThat(plan.groups()).isEmpty();
        assertThat(plan.freezer()).isEmpty();
    }

    private static List<String> lines(Plan plan) {
        return plan.groups().stream()
                .flatMap(group -> group.settings().stream()
                        .map(setting -> group.directory().resolve(setting.file()) + " = " + setting.value()
                                + (setting.required() ? "" : " if there")))
                .toList();
    }
}
