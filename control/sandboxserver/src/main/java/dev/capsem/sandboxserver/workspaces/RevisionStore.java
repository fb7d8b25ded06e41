package dev.capsem.sandboxserver.workspaces;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.service.state.StateFile;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Where workspaces lie on disk: one list of all, and per workspace a directory with an archive for each revision.
final class RevisionStore {
    private final Path directory;
    private final StateFile index;

    /// Guarded by this.
    private final Map<String, SharedWorkspace> workspaces = new TreeMap<>();

    RevisionStore(Path directory) {
        this.directory = directory;
        this.index = new StateFile(directory.resolve("index.json"));
        index.read(json -> JsonMembers.of(json, "").objects("workspaces").stream()
                        .map(SharedWorkspace::fromFile)
                        .toList())
                .ifPresent(all -> all.forEach(workspace -> workspaces.put(workspace.name(), workspace)));
    }

    synchronized Collection<SharedWorkspace> all() {
        return List.copyOf(workspaces.values());
    }

    synchronized SharedWorkspace get(String name) {
        SharedWorkspace known = workspaces.get(name);
        if (known == null) {
            throw new ApiProblem(
                            ApiProblem.Code.NOT_FOUND,
                            "there is no such workspace",
                            "see which there are: GET /v1/workspaces")
                    .because("no workspace is called " + name);
        }
        return known;
    }

    synchronized boolean has(String name) {
        return workspaces.containsKey(name);
    }

    synchronized void put(SharedWorkspace workspace) {
        workspaces.put(workspace.name(), workspace);
        save();
    }

    /// Out of the list first: archives that nobody lists are garbage, a listed one without archive is a lie.
    synchronized void remove(String name) {
        workspaces.remove(name);
        save();
        try (Stream<Path> archives = Files.list(directory.resolve(name))) {
            for (Path archive : archives.toList()) {
                Files.delete(archive);
            }
            Files.delete(directory.resolve(name));
        } catch (NoSuchFileException e) {
            // It never had a revision.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void save() {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("workspaces");
        workspaces.values().forEach(workspace -> all.add(workspace.toFile()));
        index.write(json);
    }

    byte[] archive(String name, Revision revision) {
        try {
            return Files.readAllBytes(file(name, revision.number()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void keep(String name, int revision, byte[] archive) {
        try {
            Files.createDirectories(
                    directory.resolve(name),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.write(file(name, revision), archive, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Archives of revisions that are not listed any more.
    void drop(String name, Set<Integer> numbers) {
        for (int number : numbers) {
            try {
                Files.deleteIfExists(file(name, number));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Path file(String name, int revision) {
        return directory.resolve(name).resolve(revision + ".tar");
    }
}
