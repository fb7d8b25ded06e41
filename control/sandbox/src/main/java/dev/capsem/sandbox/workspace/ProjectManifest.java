package dev.capsem.sandbox.workspace;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What the project looked like when the sandbox was made, so that `apply` can tell whether it moved on since.
public final class ProjectManifest {
    public static final String FILE_NAME = "project.manifest";

    /// About 2 s of walking and 100 MB of entries; a home directory or a disk given by mistake stops here.
    public static final int ENTRIES_MAX = 500_000;

    private static final String HEADER = "capsem-project-manifest 1";

    /// @param size, modifiedNanos, changedNanos and inode mean nothing for a directory: they change with its entries
    record Entry(FileType type, long size, long modifiedNanos, long changedNanos, long inode) {
        static Entry of(FileFacts facts) {
            return new Entry(facts.type(), facts.size(), facts.modifiedNanos(), facts.changedNanos(), facts.inode());
        }

        boolean describes(FileFacts facts) {
            return type == FileType.DIRECTORY ? facts.type() == FileType.DIRECTORY : equals(of(facts));
        }
    }

    private final Map<Path, Entry> entries;

    private ProjectManifest(Map<Path, Entry> entries) {
        this.entries = entries;
    }

    /// Walks the project without following links.
    public static ProjectManifest of(Path project) {
        return of(project, ENTRIES_MAX);
    }

    static ProjectManifest of(Path project, int entriesMax) {
        var entries = new HashMap<Path, Entry>();
        var directories = new ArrayDeque<Path>();
        directories.add(project);
        while (!directories.isEmpty()) {
            Path directory = directories.remove();
            try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
                for (Path child : children) {
                    if (entries.size() == entriesMax) {
                        throw tooLarge(project, entriesMax);
                    }
                    FileFacts facts = FileFacts.of(child, LinkOption.NOFOLLOW_LINKS);
                    entries.put(project.relativize(child), Entry.of(facts));
                    if (facts.type() == FileType.DIRECTORY) {
                        directories.add(child);
                    }
                }
            } catch (DirectoryIteratorException failure) {
                throw unreadable(project, failure);
            } catch (AccessDeniedException | NoSuchFileException | NotDirectoryException gone) {
                // Changing under the walk, or closed to us: what is not recorded counts as moved on, never as
                // unchanged.
                if (directory.equals(project)) {
                    throw unreadable(project, gone);
                }
            } catch (IOException failure) {
                throw unreadable(project, failure);
            }
        }
        return new ProjectManifest(entries);
    }

    /// Writes `project.manifest` whole or not at all.
    public void save(Path sessionDir) {
        Path target = sessionDir.resolve(FILE_NAME);
        Path partial = sessionDir.resolve(FILE_NAME + ".new");
        try {
            try (BufferedWriter out = Files.newBufferedWriter(partial)) {
                out.write(HEADER + "\n");
                for (var entry : entries.entrySet()) {
                    out.write(line(entry.getKey(), entry.getValue()));
                }
            }
            try (var file = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                file.force(true);
            }
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new WorkspaceException(
                    WorkspaceException.Code.PROJECT_UNREADABLE,
                    "cannot write " + target + ": " + failure.getMessage(),
                    "check free space and permissions of the session directory",
                    failure);
        }
    }

    public static ProjectManifest load(Path sessionDir) {
        Path file = sessionDir.resolve(FILE_NAME);
        var entries = new HashMap<Path, Entry>();
        try (BufferedReader in = Files.newBufferedReader(file)) {
            if (!HEADER.equals(in.readLine())) {
                throw new IllegalArgumentException("it does not begin with \"" + HEADER + "\"");
            }
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] fields = line.split(" ", 6);
                entries.put(
                        PathText.parse(fields[5]),
                        new Entry(
                                FileType.valueOf(fields[0]),
                                Long.parseLong(fields[1]),
                                Long.parseLong(fields[2]),
                                Long.parseLong(fields[3]),
                                Long.parseLong(fields[4])));
            }
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException failure) {
            throw damaged(file, failure);
        }
        return new ProjectManifest(entries);
    }

    public int size() {
        return entries.size();
    }

    Optional<Entry> entry(Path relative) {
        return Optional.ofNullable(entries.get(relative));
    }

    /// The manifest after `apply` wrote (or removed) this path: what we did ourselves did not "move on".
    void put(Path relative, Optional<FileFacts> facts) {
        facts.ifPresentOrElse(present -> entries.put(relative, Entry.of(present)), () -> entries.remove(relative));
    }

    private static String line(Path path, Entry entry) {
        return entry.type() + " " + entry.size() + " " + entry.modifiedNanos() + " " + entry.changedNanos() + " "
                + entry.inode() + " " + PathText.of(path) + "\n";
    }

    private static WorkspaceException tooLarge(Path project, int entriesMax) {
        return new WorkspaceException(
                WorkspaceException.Code.PROJECT_TOO_LARGE,
                project + " holds more than " + entriesMax + " files",
                "give a directory further down, or bind it directly with --rw (its files then change for real)");
    }

    private static WorkspaceException unreadable(Path project, Exception failure) {
        return new WorkspaceException(
                WorkspaceException.Code.PROJECT_UNREADABLE,
                "cannot read the project " + project + ": " + failure.getMessage(),
                "check that it is a directory and that you may read it",
                failure);
    }

    private static WorkspaceException damaged(Path file, Exception failure) {
        return new WorkspaceException(
                WorkspaceException.Code.MANIFEST_DAMAGED,
                file + " cannot be read: " + failure.getMessage(),
                "see the changes with `capsem diff`; bring them back with `capsem apply --force` or `capsem cp`",
                failure);
    }
}
