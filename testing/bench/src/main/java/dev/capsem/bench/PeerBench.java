package dev.capsem.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The same work through programs nobody here wrote: one command in a fresh sandbox, from fork to exit.
record PeerBench() implements BenchMain.Part {
    private static final int ROUNDS = 20;

    @Override
    public void run(Consumer<Measurement> found) throws IOException {
        measure(
                found,
                "bwrap",
                "bwrap alone, true",
                "install bubblewrap",
                List.of("--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"));
        measure(
                found,
                "srt",
                "srt, true",
                "npm install -g @anthropic-ai/sandbox-runtime (needs socat and ripgrep)",
                List.of("true"));
        measure(
                found,
                "codex",
                "codex sandbox, true",
                "npm install -g @openai/codex",
                List.of("sandbox", "linux", "true"));
    }

    private static void measure(
            Consumer<Measurement> found, String program, String name, String remedy, List<String> arguments)
            throws IOException {
        Optional<Path> path = BenchPrograms.onPath(program);
        if (path.isEmpty()) {
            found.accept(new Measurement.Skipped(name, program + " is not installed: " + remedy));
            return;
        }
        List<String> argv = new java.util.ArrayList<>(List.of(path.get().toString()));
        argv.addAll(arguments);
        int exitCode = BenchPrograms.run(argv);
        if (exitCode != 0) {
            found.accept(new Measurement.Skipped(name, program + " failed here with exit code " + exitCode));
            return;
        }
        found.accept(Measurement.latency(name, BenchStopwatch.millis(ROUNDS, () -> BenchPrograms.run(argv))));
    }
}
