package dev.capsem.sandbox.workspace.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Runs the host's git to its end, without hooks, without helpers in the background, and without any way to reach
/// another host. The user's own settings count, as they do when the user types the command.
public final class HostGit {
    private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    /// A large repository on a busy disk; nothing of ours takes longer without being stuck.
    private static final Duration TIME_MAX = Duration.ofMinutes(5);

    private static final int OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
    private static final int COMPLAINT_BYTES_MAX = 64 * 1024;
    private static final int CANNOT_RUN = 127;

    private static final List<String> SETTINGS = List.of(
            "core.fsmonitor=false",
            "core.hooksPath=/dev/null",
            "gc.auto=0",
            "maintenance.auto=false",
            "protocol.allow=never",
            "protocol.file.allow=always",
            "submodule.recurse=false",
            "fetch.fsckObjects=true",
            "transfer.fsckObjects=true");

    private final Map<String, String> environment;

    private HostGit(Map<String, String> environment) {
        this.environment = environment;
    }

    /// With the settings of whoever runs this program.
    public static HostGit ofThisUser() {
        var environment = new HashMap<String, String>();
        for (String name : List.of("HOME", "XDG_CONFIG_HOME")) {
            String value = System.getenv(name);
            if (value != null) {
                environment.put(name, value);
            }
        }
        environment.put("PATH", PATH);
        environment.put("LC_ALL", "C");
        environment.put("GIT_TERMINAL_PROMPT", "0");
        // A look must not touch the user's index.
        environment.put("GIT_OPTIONAL_LOCKS", "0");
        environment.put("GIT_NO_LAZY_FETCH", "1");
        environment.put("GIT_REFLOG_ACTION", "capsem apply");
        return new HostGit(environment);
    }

    /// The standard input of git.
    public interface Input {
        void writeTo(OutputStream out) throws IOException;
    }

    /// @param complaint what it said on standard error, in one line
    public record Result(int exitCode, byte[] output, String complaint) {
        public boolean succeeded() {
            return exitCode == 0;
        }

        public String text() {
            return new String(output, StandardCharsets.UTF_8).strip();
        }
    }

    public Result run(Path directory, String... arguments) {
        return run(directory, _ -> {}, arguments);
    }

    public Result run(Path directory, Input input, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "-C", directory.toString()));
        SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(environment);
        try {
            return ended(builder.start(), input);
        } catch (IOException cannotRun) {
            return new Result(CANNOT_RUN, new byte[0], "git cannot be run: " + cannotRun.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result(CANNOT_RUN, new byte[0], "interrupted");
        }
    }

    private static Result ended(Process process, Input input) throws IOException, InterruptedException {
        try {
            Thread.ofVirtual().start(() -> feed(process, input));
            CompletableFuture<byte[]> complaint = read(process.getErrorStream(), COMPLAINT_BYTES_MAX);
            CompletableFuture<byte[]> output = read(process.getInputStream(), OUTPUT_BYTES_MAX);
            if (!process.waitFor(TIME_MAX.toSeconds(), TimeUnit.SECONDS)) {
                return new Result(CANNOT_RUN, new byte[0], "git took longer than " + TIME_MAX.toMinutes() + " minutes");
            }
            String said = new String(complaint.join(), StandardCharsets.UTF_8);
            return new Result(process.exitValue(), output.join(), said.strip().replaceAll("\\s*\\R\\s*", "; "));
        } finally {
            process.destroyForcibly();
        }
    }

    private static void feed(Process process, Input input) {
        try (OutputStream out = process.getOutputStream()) {
            input.writeTo(out);
        } catch (IOException ended) {
            // Git stopped reading, or what we read is gone: its exit code tells.
            process.destroy();
        }
    }

    private static CompletableFuture<byte[]> read(InputStream stream, int max) {
        var all = new CompletableFuture<byte[]>();
        Thread.ofVirtual().start(() -> {
            try (stream) {
                byte[] kept = stream.readNBytes(max);
                stream.transferTo(OutputStream.nullOutputStream());
                all.complete(kept);
            } catch (IOException closed) {
                all.complete(new byte[0]);
            }
        });
        return all;
    }
}
