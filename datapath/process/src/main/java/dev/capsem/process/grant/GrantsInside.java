package dev.capsem.process.grant;

import dev.capsem.process.grant.SessionGrants.FileInside;
import dev.capsem.process.guest.AgentSession;
import dev.capsem.process.guest.GuestExec;
import dev.capsem.process.guest.GuestExecEvent;
import dev.capsem.process.guest.GuestExecRequest;
import dev.capsem.wire.guest.EnvironmentVariable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/// Shows the stand-ins inside: as variables of every command, and in files that the agent writes with the guest's own
/// rights. A file that is somebody's own is left as it is. Safe for many threads.
public final class GrantsInside {
    /// As the agent's file operations end.
    private static final int DONE = 0;

    private static final int NOT_FOUND = 2;
    private static final int FILE_BYTES_MAX = 64 * 1024;
    private static final String FILE_MODE = "600";
    private static final Duration INPUT_WAIT = Duration.ofSeconds(5);

    private final AgentSession guest;
    private final Supplier<SessionGrants> grants;
    private final Set<String> taken;

    /// @param taken variables that the sandbox was created with: they stay as its owner set them
    public GrantsInside(AgentSession guest, Supplier<SessionGrants> grants, Set<String> taken) {
        this.guest = guest;
        this.grants = grants;
        this.taken = Set.copyOf(taken);
    }

    /// The command with the stand-ins in its environment. A variable that the command brings itself stays.
    public GuestExecRequest furnish(GuestExecRequest command) {
        SessionGrants now = grants.get();
        if (now.environment().isEmpty() || command.kind() != GuestExecRequest.Kind.COMMAND) {
            return command;
        }
        List<EnvironmentVariable> environment = new ArrayList<>(command.environment());
        Set<String> own = Set.copyOf(
                command.environment().stream().map(EnvironmentVariable::name).toList());
        now.environment().forEach((name, standIn) -> {
            if (!own.contains(name) && !taken.contains(name)) {
                environment.add(new EnvironmentVariable(name, standIn));
            }
        });
        return new GuestExecRequest(
                command.kind(),
                command.argv(),
                command.cwd(),
                environment,
                command.stdin(),
                command.window(),
                command.keepBytesMax());
    }

    /// Writes the files that are not there yet. One that cannot be written is logged: the programs that want it fail.
    public void placeFiles() throws InterruptedException {
        for (FileInside file : grants.get().files()) {
            if (mayWrite(file)) {
                byte[] text = file.text().getBytes(StandardCharsets.UTF_8);
                Done written = run(List.of("file-write", file.path(), FILE_MODE), Optional.of(text));
                if (written.exitCode() != DONE) {
                    warn(file, "grant.file_unwritable");
                }
            }
        }
    }

    private boolean mayWrite(FileInside file) throws InterruptedException {
        Done read = run(List.of("file-read", file.path(), String.valueOf(FILE_BYTES_MAX)), Optional.empty());
        if (read.exitCode() == NOT_FOUND) {
            return true;
        }
        String found = new String(read.output(), StandardCharsets.UTF_8);
        boolean isOfParent =
                read.exitCode() == DONE && file.former().filter(found::equals).isPresent();
        boolean isThere = read.exitCode() == DONE && found.equals(file.text());
        if (!isOfParent && !isThere) {
            warn(file, "grant.file_kept");
        }
        return isOfParent;
    }

    private static void warn(FileInside file, String what) {
        LoggerFactory.getLogger(GrantsInside.class)
                .atWarn()
                .addKeyValue("path", file.path())
                .log(what);
    }

    private record Done(int exitCode, byte[] output) {
        static final Done NOT = new Done(-1, new byte[0]);
    }

    private Done run(List<String> operation, Optional<byte[]> input) throws InterruptedException {
        GuestExecRequest request = new GuestExecRequest(
                GuestExecRequest.Kind.FILE_OPERATION,
                operation,
                "",
                List.of(),
                input.isPresent(),
                Optional.empty(),
                FILE_BYTES_MAX);
        if (!(guest.open(request) instanceof AgentSession.Opened.Running(GuestExec exec))) {
            return Done.NOT;
        }
        if (input.isPresent()) {
            feed(exec, input.get());
        }
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        while (true) {
            switch (exec.next()) {
                case GuestExecEvent.Started _ -> {}
                case GuestExecEvent.Output(var _, byte[] data) -> output.writeBytes(data);
                case GuestExecEvent.Over over -> {
                    return new Done(over.exitCode(), output.toByteArray());
                }
                case GuestExecEvent.Lost _ -> {
                    return Done.NOT;
                }
            }
        }
    }

    /// A file is smaller than the credit that each operation begins with, so this does not wait for its reader.
    private static void feed(GuestExec exec, byte[] data) throws InterruptedException {
        int sent = 0;
        while (sent < data.length) {
            int more = exec.input(data, sent, INPUT_WAIT);
            if (more == 0) {
                exec.kill();
                return;
            }
            sent += more;
        }
        exec.inputEnd();
    }
}
