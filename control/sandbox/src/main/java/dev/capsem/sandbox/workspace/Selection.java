package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The paths a person named: each means itself and what is below it; none means everything.
record Selection(List<Path> paths) {
    Selection {
        paths = List.copyOf(paths);
    }

    /// Relative to the project, normalized; one that leads out of it names nothing in it.
    static Selection of(List<String> names) {
        var paths = new ArrayList<Path>();
        for (String name : names) {
            Path path;
            try {
                path = Path.of(name).normalize();
            } catch (InvalidPathException unusable) {
                throw noSuchChange(name);
            }
            if (path.isAbsolute() || path.startsWith("..")) {
                throw noSuchChange(name);
            }
            if (path.toString().isEmpty()) {
                return new Selection(List.of());
            }
            paths.add(path);
        }
        return new Selection(paths);
    }

    boolean holds(Path path) {
        return paths.isEmpty() || paths.stream().anyMatch(path::startsWith);
    }

    /// Whether `path` or something below it is selected.
    boolean mayHold(Path path) {
        return holds(path) || paths.stream().anyMatch(selected -> selected.startsWith(path));
    }

    /// Whether a person named this path or one above it.
    boolean reaches(Path path) {
        return !paths.isEmpty() && holds(path);
    }

    /// Whether a person named exactly this path, or a directory that holds nothing but files of tools.
    boolean means(Path path) {
        return paths.stream()
                .anyMatch(named -> path.equals(named) || (path.startsWith(named) && ToolFiles.isDirectory(named)));
    }

    static WorkspaceException noSuchChange(String name) {
        return new WorkspaceException(
                WorkspaceException.Code.NO_SUCH_CHANGE,
                "nothing changed at \"" + name + "\"",
                "name paths relative to the project, as `capsem diff --stat` prints them");
    }
}
