package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.bwrap.io.HostFiles;
import dev.capsem.sandbox.bwrap.launch.Tool;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Starts a sandbox for a moment, as `launch` does, with nobody behind its ports: an agent that complains of that has
/// come through everything the host could have kept it from.
record StartTrial(BwrapFiles files, Path bwrap, Path template) {
    private static final Duration TIME_MAX = Duration.ofSeconds(60);
    private static final String TMP_BYTES = "1048576";
    private static final String REACHED = "capsem-agent: stage network";

    /// Nothing when sandboxes start here.
    Optional<HostProblem> problem() {
        Path scratch = HostFiles.scratchDirectory(files.trials());
        try {
            Path session = HostFiles.directory(scratch.resolve("session"));
            Path runtime = HostFiles.directory(scratch.resolve("runtime"));
            HostFiles.directory(runtime.resolve("vsock"));
            Tool.Result result = Tool.run(command(session, runtime), Path.of("/"), TIME_MAX);
            return result.output().contains(REACHED) ? Optional.empty() : Optional.of(explain(result.output()));
        } catch (UncheckedIOException e) {
            return Optional.of(
                    new HostProblem("TRIAL_FAILED", "a trial sandbox failed: " + e.getMessage(), "try again"));
        } finally {
            remove(scratch);
        }
    }

    private List<String> command(Path session, Path runtime) {
        return List.of(
                files.launcher().toString(),
                "sandbox",
                "--session",
                session.toString(),
                "--runtime",
                runtime.toString(),
                "--template",
                template.toString(),
                "--agent",
                files.agent().toString(),
                "--bwrap",
                bwrap.toString(),
                "--hostname",
                "trial",
                "--tmp-size",
                TMP_BYTES);
    }

    static HostProblem explain(String output) {
        return LauncherComplaint.in(output)
                .orElseGet(() -> new HostProblem(
                        "TRIAL_FAILED",
                        "a trial sandbox failed: "
                                + output.lines().reduce((_, last) -> last).orElse("it said nothing"),
                        "report this with your kernel's version (uname -r)"));
    }

    private void remove(Path scratch) {
        List<String> rm = List.of(files.launcher().toString(), "as-root", "--", "rm", "-rf", "--", scratch.toString());
        Tool.run(rm, Path.of("/"), TIME_MAX);
    }
}
