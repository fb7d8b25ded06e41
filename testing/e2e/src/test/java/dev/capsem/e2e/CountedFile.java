package dev.capsem.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicInteger;

/// A file whose readers are counted, whatever process they are: each finds a pipe of its own there, with the file's
/// content. The file is an ordinary one again afterwards.
final class CountedFile implements AutoCloseable {
    private final Path file;
    private final byte[] content;
    private final AtomicInteger readers = new AtomicInteger();
    private final Thread writer;
    private volatile boolean isOver;

    CountedFile(Path file) {
        try {
            this.file = file;
            this.content = Files.readAllBytes(file);
            Files.move(next(), file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.writer = Thread.ofPlatform().name("counted-file").daemon().start(this::serve);
    }

    int readers() {
        return readers.get();
    }

    @Override
    public void close() {
        isOver = true;
        try {
            Path last = file.resolveSibling("counted-last");
            Files.move(file, last, StandardCopyOption.ATOMIC_MOVE);
            Files.write(file, content);
            // The writer waits for somebody who opens the last pipe.
            try (InputStream in = Files.newInputStream(last)) {
                in.readAllBytes();
            }
            writer.join();
            Files.delete(last);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve() {
        while (!isOver) {
            // Returns when a reader has opened the pipe; the next reader must find another one.
            try (OutputStream out = Files.newOutputStream(file)) {
                if (!isOver) {
                    readers.incrementAndGet();
                    Files.move(next(), file, StandardCopyOption.ATOMIC_MOVE);
                    out.write(content);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Path next() throws IOException {
        Path made = file.resolveSibling("counted-" + readers.get());
        try {
            if (new ProcessBuilder("mkfifo", made.toString()).start().waitFor() != 0) {
                throw new IOException("mkfifo failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return made;
    }
}
