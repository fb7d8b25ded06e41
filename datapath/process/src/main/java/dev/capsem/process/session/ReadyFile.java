package dev.capsem.process.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// `<instance>.ready` beside the instance socket: there as long as the sandbox takes commands.
public final class ReadyFile {
    private Path file;

    public ReadyFile(Path instanceSocket) {
        this.file = beside(instanceSocket);
    }

    public void create() throws IOException {
        Files.writeString(file, Long.toString(ProcessHandle.current().pid()));
    }

    void moveTo(Path instanceSocket) throws IOException {
        Path moved = beside(instanceSocket);
        Files.move(file, moved, StandardCopyOption.ATOMIC_MOVE);
        file = moved;
    }

    void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException ignored) {
            // The service judges by the socket; a leftover mark misleads nobody for long.
        }
    }

    private static Path beside(Path socket) {
        String name = String.valueOf(socket.getFileName());
        String stem = name.endsWith(".sock") ? name.substring(0, name.length() - ".sock".length()) : name;
        return socket.resolveSibling(stem + ".ready");
    }
}
