package dev.capsem.service.watch;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.room.FilesystemRoom;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxTable;
import dev.capsem.service.table.Status;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks several times a second whether a sandbox takes more than its share of what all of them need.
public final class LimitWatch implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(LimitWatch.class);
    private static final Duration BEAT = Duration.ofMillis(250);

    private final SandboxTable table;
    private final DiskWatch disk;
    private final MemoryWatch memory;

    public LimitWatch(SandboxTable table, DiskWatch disk, MemoryWatch memory) {
        this.table = table;
        this.disk = disk;
        this.memory = memory;
    }

    @Override
    public void run() {
        try {
            while (true) {
                beat(System.nanoTime() / 1_000_000);
                Thread.sleep(BEAT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// A beat that fails is one that is missed; the next one comes all the same.
    public void beat(long nowMillis) {
        beat(nowMillis, disk::room);
    }

    public interface RoomSource {
        FilesystemRoom room() throws IOException;
    }

    public void beat(long nowMillis, RoomSource source) {
        List<Sandbox> running = table.all().stream()
                .filter(sandbox -> sandbox.status() == Status.RUNNING)
                .filter(sandbox -> sandbox.instance().flatMap(Instance::handle).isPresent())
                .toList();
        try {
            disk.beat(source.room(), running, nowMillis);
        } catch (IOException | UncheckedIOException | SandboxException | JsonShapeException e) {
            LOG.warn("the disk could not be watched: {}", e.getMessage());
        }
        try {
            memory.beat(running, nowMillis);
        } catch (IOException | UncheckedIOException | SandboxException e) {
            LOG.warn("the memory could not be watched: {}", e.getMessage());
        }
    }
}
