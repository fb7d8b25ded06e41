package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.bwrap.io.HostFiles;
import dev.capsem.sandbox.bwrap.io.ProcessTable;
import dev.capsem.sandbox.bwrap.launch.Tool;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Finds out whether sandboxes can start here, by trying in small what they do.
final class HostCheck {
    private static final Duration TIME_MAX = Duration.ofSeconds(10);
    private static final Pattern BWRAP_VERSION = Pattern.compile("bubblewrap (\\d+)\\.(\\d+)");
    /// The first with `--size`, `--perms` and data binds as we use them.
    private static final int BWRAP_MINOR_MIN = 8;

    /// AppArmor lets the namespace be made and then denies every capability in it: the id maps are the first to fail.
    private static final Pattern REFUSED_TO_USER =
            Pattern.compile("(create a user namespace|/proc/self/(setgroups|uid_map|gid_map)|make all mounts private): "
                    + "(Operation not permitted|Permission denied)");

    private final BwrapFiles files;
    private final ProcessTable processes;

    HostCheck(BwrapFiles files, ProcessTable processes) {
        this.files = files;
        this.processes = processes;
    }

    List<HostProblem> problems() {
        List<HostProblem> problems = new ArrayList<>();
        for (Path program : List.of(files.launcher(), files.agent())) {
            if (!HostFiles.isProgram(program)) {
                problems.add(
                        new HostProblem("PROGRAM_MISSING", "there is no program " + program, "run ./capsem build"));
            }
        }
        bwrapProblem().ifPresent(problems::add);
        if (problems.isEmpty()) {
            kernelProblem().ifPresent(problems::add);
        }
        return problems;
    }

    private Optional<HostProblem> bwrapProblem() {
        Optional<Path> bwrap = HostFiles.findProgram(files.bwrap());
        if (bwrap.isEmpty()) {
            return Optional.of(new HostProblem(
                    "BWRAP_MISSING", "bubblewrap is not installed", "run ./capsem setup, or install bubblewrap"));
        }
        try {
            String version = Tool.run(List.of(bwrap.get().toString(), "--version"), Path.of("/"), TIME_MAX)
                    .output();
            return isNewEnough(version)
                    ? Optional.empty()
                    : Optional.of(new HostProblem(
                            "BWRAP_TOO_OLD", version + " is too old", "install bubblewrap 0.8 or later"));
        } catch (UncheckedIOException e) {
            return Optional.of(new HostProblem(
                    "BWRAP_BROKEN", "bubblewrap does not run: " + e.getMessage(), "install bubblewrap again"));
        }
    }

    static boolean isNewEnough(String version) {
        Matcher matcher = BWRAP_VERSION.matcher(version);
        return matcher.find()
                && (Integer.parseInt(matcher.group(1)) > 0 || Integer.parseInt(matcher.group(2)) >= BWRAP_MINOR_MIN);
    }

    private Optional<HostProblem> kernelProblem() {
        Path scratch = HostFiles.scratchDirectory(files.trials());
        String launcher = files.launcher().toString();
        try {
            Tool.Result result = Tool.run(List.of(launcher, "probe", scratch.toString()), Path.of("/"), TIME_MAX);
            return result.succeeded() ? Optional.empty() : Optional.of(explain(result.output()));
        } finally {
            Tool.run(List.of(launcher, "as-root", "--", "rm", "-rf", "--", scratch.toString()), Path.of("/"), TIME_MAX);
        }
    }

    /// The kernel only says EPERM; the switch behind it is the better answer.
    HostProblem explain(String output) {
        if (REFUSED_TO_USER.matcher(output).find()
                && isSwitch("sys/kernel/apparmor_restrict_unprivileged_userns", "1")) {
            return new HostProblem(
                    "USERNS_RESTRICTED",
                    "AppArmor keeps ordinary users from user namespaces"
                            + " (kernel.apparmor_restrict_unprivileged_userns=1)",
                    apparmorRemedy());
        }
        if (isSwitch("sys/kernel/unprivileged_userns_clone", "0")) {
            return new HostProblem(
                    "USERNS_DISABLED",
                    "user namespaces are disabled for ordinary users",
                    "sudo sysctl kernel.unprivileged_userns_clone=1");
        }
        if (isSwitch("sys/user/max_user_namespaces", "0")) {
            return new HostProblem(
                    "USERNS_DISABLED",
                    "the host allows no user namespaces",
                    "sudo sysctl user.max_user_namespaces=15000");
        }
        return LauncherComplaint.in(output)
                .orElse(new HostProblem("PROBE_FAILED", "a trial sandbox failed: " + output, "run ./capsem setup"));
    }

    /// A clone of the repository has a script that lets our launcher through; elsewhere the switch remains.
    private String apparmorRemedy() {
        return Optional.ofNullable(files.launcher().getParent())
                .map(libexec -> libexec.resolve("../../scripts/apparmor").normalize())
                .filter(HostFiles::isProgram)
                .map(script -> "install a profile for our launcher: sudo " + script + " install")
                .orElse("sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0");
    }

    private boolean isSwitch(String path, String value) {
        return processes.line(path).filter(value::equals).isPresent();
    }
}
