package dev.capsem.hostmcp.io;

import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.node.ObjectNode;

/// `run/mcp.log`: JSON lines that `capsem_host_logs` and `capsem_panics` read. Several capsem-mcp of one home append to
/// it, each line in one write. Never holds arguments or answers of tools. A log that cannot be written is told to
/// stderr once, and capsem-mcp goes on without it.
public final class McpLog {
    /// Then the file becomes `mcp.log.1`, in place of the one before.
    private static final long FILE_BYTES_MAX = 5 * 1_048_576;

    private final Path file;
    private final Clock clock;
    private final PrintStream stderr;

    /// Guards `isBroken` and the rotation.
    private final ReentrantLock lock = new ReentrantLock();

    private boolean isBroken;

    public McpLog(Path file, Clock clock, PrintStream stderr) {
        this.file = file;
        this.clock = clock;
        this.stderr = stderr;
    }

    public void note(String message) {
        write(line("INFO", message));
    }

    public void warn(String message) {
        write(line("WARN", message));
    }

    /// The record of a crash.
    public void panic(Thread thread, Throwable thrown) {
        ObjectNode line =
                line("ERROR", "PANIC in capsem-mcp: " + thrown.getClass().getName());
        ObjectNode panic =
                line.putObject("throwable").put("className", thrown.getClass().getName());
        line.put("threadName", thread.getName());
        var frames = panic.putArray("stepArray");
        Arrays.stream(thrown.getStackTrace())
                .limit(16)
                .forEach(frame -> frames.addObject()
                        .put("className", frame.getClassName())
                        .put("methodName", frame.getMethodName())
                        .put("fileName", String.valueOf(frame.getFileName()))
                        .put("lineNumber", frame.getLineNumber()));
        write(line);
    }

    private ObjectNode line(String level, String message) {
        return Json.object()
                .put("timestamp", clock.millis())
                .put("level", level)
                .put("threadName", Thread.currentThread().getName())
                .put("loggerName", "capsem-mcp")
                .put("formattedMessage", message);
    }

    private void write(ObjectNode line) {
        byte[] json = Json.bytes(line);
        byte[] bytes = Arrays.copyOf(json, json.length + 1);
        bytes[json.length] = '\n';
        lock.lock();
        try {
            if (isBroken) {
                return;
            }
            if (Files.exists(file) && Files.size(file) > FILE_BYTES_MAX) {
                Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
            }
            if (!Files.exists(file)) {
                create();
            }
            Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            isBroken = true;
            stderr.println("capsem-mcp: cannot write " + file + ": " + e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    private void create() throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            // Another capsem-mcp was faster.
        }
    }
}
