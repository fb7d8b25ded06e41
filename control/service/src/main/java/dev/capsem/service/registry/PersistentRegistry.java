package dev.capsem.service.registry;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.node.ObjectNode;

/// The registry in memory and on disk. Every change is on disk, whole, before it is visible: temp file, fsync,
/// rename, fsync of the directory.
public final class PersistentRegistry {
    private final Path file;

    /// Guards the order of writes; readers see the last whole map.
    private final ReentrantLock changing = new ReentrantLock();

    private volatile Map<SandboxId, SandboxFacts> entries;

    private PersistentRegistry(Path file, Map<SandboxId, SandboxFacts> entries) {
        this.file = file;
        this.entries = entries;
    }

    /// Reads the file, or starts empty when there is none. A file that cannot be understood is an error, never a
    /// fresh start: the sandboxes it named would be taken for strays.
    public static PersistentRegistry open(Path file) {
        if (!Files.exists(file)) {
            return new PersistentRegistry(file, Map.of());
        }
        try {
            return new PersistentRegistry(file, parse(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (JsonShapeException | IllegalArgumentException | DateTimeException e) {
            throw new IllegalStateException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    public Optional<SandboxFacts> find(SandboxId name) {
        return Optional.ofNullable(entries.get(name));
    }

    public Collection<SandboxFacts> all() {
        return entries.values();
    }

    public void put(SandboxFacts sandbox) {
        change(map -> map.put(sandbox.name(), sandbox));
    }

    public void remove(SandboxId name) {
        change(map -> map.remove(name));
    }

    private interface Change {
        void to(Map<SandboxId, SandboxFacts> map);
    }

    private void change(Change change) {
        changing.lock();
        try {
            Map<SandboxId, SandboxFacts> next = sorted();
            next.putAll(entries);
            change.to(next);
            write(encode(next));
            entries = next;
        } finally {
            changing.unlock();
        }
    }

    private static Map<SandboxId, SandboxFacts> sorted() {
        return new TreeMap<>((left, right) -> left.value().compareTo(right.value()));
    }

    private static Map<SandboxId, SandboxFacts> parse(byte[] bytes) {
        Map<SandboxId, SandboxFacts> map = sorted();
        var vms = Json.parse(bytes).path("vms");
        vms.properties().forEach(entry -> {
            SandboxFacts sandbox = SandboxFacts.fromJson(JsonMembers.of(entry.getValue(), "vms." + entry.getKey()));
            map.put(sandbox.name(), sandbox);
        });
        return map;
    }

    private static byte[] encode(Map<SandboxId, SandboxFacts> map) {
        ObjectNode document = Json.object();
        ObjectNode vms = document.putObject("vms");
        map.forEach((name, sandbox) -> vms.set(name.value(), sandbox.toJson()));
        return Json.bytes(document);
    }

    private void write(byte[] bytes) {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            Files.deleteIfExists(temporary);
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                ByteBuffer buffer = ByteBuffer.wrap(bytes);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel directory = FileChannel.open(file.resolveSibling("."), StandardOpenOption.READ)) {
                directory.force(true);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
