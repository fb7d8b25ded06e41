package dev.capsem.wire.io;

import dev.capsem.wire.log.Panic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Optional;

/// `run/panics.log`: what killed a thread of any of our programs, one line each. All programs append to one file, which
/// is moved aside when it is full; one older file is kept.
public final class PanicLog implements Thread.UncaughtExceptionHandler {
    private static final long BYTES_MAX = 1_048_576;

    private final String program;
    private final Path file;
    private final InstantSource clock;
    private volatile Optional<String> sandbox = Optional.empty();

    /// @param file as [dev.capsem.wire.HomeLayout#panicLog] names it
    public PanicLog(String program, Path file, InstantSource clock) {
        this.program = program;
        this.file = file;
        this.clock = clock;
    }

    /// Told of every thread that nobody else watches.
    public PanicLog install() {
        Thread.setDefaultUncaughtExceptionHandler(this);
        return this;
    }

    /// From now on this program works for that sandbox.
    public void workFor(String id) {
        sandbox = Optional.of(id);
    }

    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        Panic panic = Panic.of(clock.instant(), program, ProcessHandle.current().pid(), sandbox, thread, failure);
        System.err.println(program + ": panic in " + thread.getName() + ": " + panic.message());
        try {
            append(panic);
        } catch (IOException | RuntimeException e) {
            System.err.println(program + ": the panic could not be recorded: "
                    + e.getClass().getName());
        }
    }

    private void append(Panic panic) throws IOException {
        if (Files.exists(file) && Files.size(file) > BYTES_MAX) {
            Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            // Another program of ours had something to say before.
        }
        byte[] line = (panic.toLine().text() + "\n").getBytes(StandardCharsets.UTF_8);
        Files.write(file, line, StandardOpenOption.APPEND);
    }
}
