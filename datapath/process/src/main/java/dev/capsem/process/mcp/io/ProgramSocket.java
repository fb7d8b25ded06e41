package dev.capsem.process.mcp.io;

import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.io.UnixListener;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A socket behind which a program is started for whoever connects: the connection is its standard input and output,
/// and it ends with the connection.
public final class ProgramSocket implements AutoCloseable {
    /// The aggregator keeps one, and makes another while the first one ends.
    private static final int PROGRAMS_MAX = 4;

    /// Between the end of a program's output and its own.
    private static final long EXIT_MILLIS_MAX = 1_000;

    private static final int CHUNK_BYTES = 64 * 1024;
    private static final String MODE = "rw-rw-rw-";

    private final UnixListener listener;
    private final Starter starter;
    private final IntConsumer onExit;
    private final Semaphore places = new Semaphore(PROGRAMS_MAX);
    private final Set<Process> running = ConcurrentHashMap.newKeySet();

    /// Starts the program.
    public interface Starter {
        /// Throws IOException if it cannot be started this time.
        Process start() throws IOException;
    }

    private ProgramSocket(UnixListener listener, Starter starter, IntConsumer onExit) {
        this.listener = listener;
        this.starter = starter;
        this.onExit = onExit;
    }

    /// @param socket in a directory that is ours alone
    /// @param onExit told the exit code of a program that ended by itself
    public static ProgramSocket open(Path socket, Starter starter, IntConsumer onExit, TaskScope scope)
            throws IOException {
        ProgramSocket door = new ProgramSocket(UnixListener.bind(socket, MODE), starter, onExit);
        scope.start(() -> door.accept(scope));
        return door;
    }

    public Path socket() {
        return listener.path();
    }

    @Override
    public void close() {
        listener.close();
        running.forEach(Process::destroyForcibly);
    }

    private void accept(TaskScope scope) {
        try {
            while (true) {
                places.acquire();
                Optional<SocketChannel> channel = listener.accept();
                if (channel.isEmpty()) {
                    return;
                }
                scope.start(() -> serve(channel.get()));
            }
        } catch (IOException e) {
            logger().atWarn().addKeyValue("reason", e.getMessage()).log("mcp.program.door_failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            Process program = starter.start();
            running.add(program);
            try {
                if (splice(channel, program)) {
                    onExit.accept(program.exitValue());
                }
            } finally {
                program.destroyForcibly();
                running.remove(program);
            }
        } catch (IOException | RuntimeException e) {
            logger().atWarn().addKeyValue("reason", e.getMessage()).log("mcp.program.not_started");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            places.release();
        }
    }

    /// Whether it ended by itself.
    private static boolean splice(SocketChannel channel, Process program) throws InterruptedException {
        // Pipes of a child block their carrier, so these two are threads of the platform.
        Thread down = Thread.ofPlatform().daemon().name("mcp-program-in").start(() -> toProgram(channel, program));
        Thread up = Thread.ofPlatform().daemon().name("mcp-program-out").start(() -> fromProgram(program, channel));
        boolean isOver = false;
        try {
            up.join();
            isOver = program.waitFor(EXIT_MILLIS_MAX, TimeUnit.MILLISECONDS);
        } finally {
            program.destroyForcibly();
        }
        down.join();
        return isOver;
    }

    private static void toProgram(SocketChannel from, Process program) {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        try (OutputStream to = program.getOutputStream()) {
            while (from.read(chunk) >= 0) {
                to.write(chunk.array(), 0, chunk.position());
                to.flush();
                chunk.clear();
            }
        } catch (IOException e) {
            // One of the two is gone; the other learns of it from its closed end.
        }
    }

    private static void fromProgram(Process program, SocketChannel to) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (to;
                InputStream from = program.getInputStream()) {
            for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
                ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, count);
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
            }
        } catch (IOException e) {
            // As above.
        }
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(ProgramSocket.class);
    }
}
