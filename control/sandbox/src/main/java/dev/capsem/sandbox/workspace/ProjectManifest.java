package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.GitTerritory;
import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.PathText;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the project looked like when the sandbox was made, so that `apply` can tell whether it moved on since. An
/// unchanged record means unchanged content; where a record changed, the content decides ([Origin]).
public final class ProjectManifest {
    public static final String FILE_NAME = "project.manifest";

    /// About 2 s of walking and 100 MB of entries; a home directory or a disk given by mistake stops here.
    public static final int ENTRIES_MAX = 500_000;

    private static final String HEADER = "capsem-project-manifest 2";
    /// Written before contents were known: each line ends after the inode.
    private static final String HEADER_WITHOUT_CONTENTS = "capsem-project-manifest 1";

    /// @param facts all but type and permissions mean nothing for a directory: they change with its entries
    record Entry(FileFacts facts, ContentAtCreate base) {
        FileType type() {
            return facts.type();
        }

        long size() {
            return facts.size();
        }

        Entry with(ContentAtCreate newBase) {
            return new Entry(facts, newBase);
        }

        /// An entry that describes no file that there is: what stands there has to be compared by content.
        Entry ofNoFile() {
            return new Entry(facts(facts.type(), facts.size(), facts.permissions(), 0, 0, 0), base);
        }

        /// Whether these are the facts of the same file, not written since.
        boolean describes(FileFacts now) {
            if (type() == FileType.DIRECTORY || now.type() == FileType.DIRECTORY) {
                return type() == now.type();
            }
            return type() == now.type()
                    && size() == now.size()
                    && facts.modifiedNanos() == now.modifiedNanos()
                    && facts.changedNanos() == now.changedNanos()
                    && facts.inode() == now.inode();
        }

        private static FileFacts facts(
                FileType type, long size, int permissions, long modified, long changed, long inode) {
            return new FileFacts(type, size, permissions, modified, changed, inode, 0, 0, 0);
        }

        private static Entry parse(String[] fields, boolean hasContents) {
            return new Entry(
                    facts(
                            FileType.valueOf(fields[0]),
                            Long.parseLong(fields[1]),
                            hasContents ? Integer.parseInt(fields[5], 8) : PERMISSIONS_UNKNOWN,
                            Long.parseLong(fields[2]),
                            Long.parseLong(fields[3]),
                            Long.parseLong(fields[4])),
                    hasContents ? ContentAtCreate.parse(fields[6]) : new ContentAtCreate.Unknown());
        }
    }

    static final int PERMISSIONS_UNKNOWN = 07777;

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
                    if (GitTerritory.isName(child.getFileName())) {
                        continue;
                    }
                    if (entries.size() == entriesMax) {
                        throw tooLarge(project, entriesMax);
                    }
                    FileFacts facts = FileFacts.of(child, LinkOption.NOFOLLOW_LINKS);
                    entries.put(project.relativize(child), new Entry(facts, new ContentAtCreate.Unknown()));
                    if (facts.type() == FileType.DIRECTORY) {
                        directories.add(child);
                    }
                }
            } catch (DirectoryIteratorException failure) {
                throw unreadable(project, failure);
            } catch (AccessDeniedException | NoSuchFileException | NotDirectoryException gone) {
                // Changing under the walk, or closed to us: what is not recorded counts as moved on, never
                // as unchanged.
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
            String header = in.readLine();
            boolean hasContents = HEADER.equals(header);
            if (!hasContents && !HEADER_WITHOUT_CONTENTS.equals(header)) {
                throw new IllegalArgumentException("it does not begin with \"" + HEADER + "\"");
            }
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] fields = line.split(" ", hasContents ? 8 : 6);
                entries.put(PathText.parse(fields[hasContents ? 7 : 5]), Entry.parse(fields, hasContents));
            }
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException failure) {
            throw damaged(file, failure);
        }
        return new ProjectManifest(entries);
    }

    /// Empty when there is none, or none that can be read.
    static Optional<ProjectManifest> loadIfUsable(Path sessionDir) {
        try {
            return Optional.of(load(sessionDir));
        } catch (WorkspaceException damaged) {
            return Optional.empty();
        }
    }

    static WorkspaceException missing(Path sessionDir) {
        return damaged(sessionDir.resolve(FILE_NAME), new IOException("it is missing or damaged"));
    }

    public int size() {
        return entries.size();
    }

    Optional<Entry> entry(Path relative) {
        return Optional.ofNullable(entries.get(relative));
    }

    List<Path> paths() {
        return entries.keySet().stream().sorted().toList();
    }

    void put(Path relative, Entry entry) {
        entries.put(relative, entry);
    }

    void remove(Path relative) {
        entries.remove(relative);
    }

    private static String line(Path path, Entry entry) {
        FileFacts facts = entry.facts();
        return facts.type() + " " + facts.size() + " " + facts.modifiedNanos() + " " + facts.changedNanos() + " "
                + facts.inode() + " " + Integer.toOctalString(facts.permissions()) + " "
                + entry.base().text() + " " + PathText.of(path) + "\n";
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
