package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.HostProblem;
import java.util.Optional;

/// Reads what capsem-launch and bwrap say when they give up: one line, `capsem-launch: <cause>; <remedy>` or
/// `bwrap: <cause>`.
final class LauncherComplaint {
    private static final String OURS = "capsem-launch: ";
    private static final String BWRAPS = "bwrap: ";

    private LauncherComplaint() {}

    /// The last complaint in the text, if there is one.
    static Optional<HostProblem> in(String text) {
        return text.lines()
                .filter(line -> line.startsWith(OURS) || line.startsWith(BWRAPS))
                .reduce((_, last) -> last)
                .map(LauncherComplaint::parse);
    }

    private static HostProblem parse(String line) {
        if (line.startsWith(BWRAPS)) {
            return new HostProblem(
                    "BWRAP_FAILED", line, "run `bwrap --ro-bind / / true` and see what your system says about it");
        }
        String complaint = line.substring(OURS.length());
        int end = complaint.indexOf("; ");
        return end < 0
                ? new HostProblem("LAUNCH_FAILED", complaint, "see serial.log of the sandbox")
                : new HostProblem("LAUNCH_FAILED", complaint.substring(0, end), complaint.substring(end + 2));
    }
}
