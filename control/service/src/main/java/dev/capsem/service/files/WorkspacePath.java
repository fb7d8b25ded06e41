package dev.capsem.service.files;

import dev.capsem.service.problem.ServiceProblem;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// A path below the workspace: its parts, none of them empty, `.` or `..`. No parts means the workspace itself.
record WorkspacePath(List<String> parts) {
    private static final String WORKSPACE = "/root";
    private static final int PATH_BYTES_MAX = 4_095;
    private static final int PART_BYTES_MAX = 255;

    WorkspacePath {
        parts = List.copyOf(parts);
    }

    /// Accepts `a/b` and `/root/a/b`.
    static WorkspacePath directory(String text) {
        checkText(text);
        String relative = text;
        if (text.equals(WORKSPACE) || text.startsWith(WORKSPACE + "/")) {
            relative = text.substring(Math.min(text.length(), WORKSPACE.length() + 1));
        } else if (text.startsWith("/")) {
            throw new ServiceProblem(
                    ServiceProblem.Code.PATH_OUTSIDE,
                    "only files below /root can be reached",
                    "give a path relative to /root; read others with exec, for example `cat`");
        }
        if (relative.isEmpty()) {
            return new WorkspacePath(List.of());
        }
        List<String> parts = List.of(relative.split("/", -1));
        parts.forEach(WorkspacePath::checkPart);
        return new WorkspacePath(parts);
    }

    static WorkspacePath file(String text) {
        WorkspacePath path = directory(text);
        if (path.parts.isEmpty()) {
            throw bad("no file is named", "give ?path= with a path relative to /root");
        }
        return path;
    }

    String name() {
        return parts.isEmpty() ? "" : parts.getLast();
    }

    String text() {
        return String.join("/", parts);
    }

    private static void checkText(String text) {
        if (text.indexOf('\0') >= 0) {
            throw bad("the path holds a NUL character", "remove it");
        }
        if (text.getBytes(StandardCharsets.UTF_8).length > PATH_BYTES_MAX) {
            throw bad("the path is longer than " + PATH_BYTES_MAX + " bytes", "use a shorter path");
        }
    }

    private static void checkPart(String part) {
        if (part.equals("..")) {
            throw bad("the path holds `..`", "name the file directly");
        }
        if (part.isEmpty() || part.equals(".")) {
            throw bad("the path holds an empty or `.` part", "write it without doubled or trailing slashes");
        }
        if (part.getBytes(StandardCharsets.UTF_8).length > PART_BYTES_MAX) {
            throw bad("a part of the path is longer than " + PART_BYTES_MAX + " bytes", "use shorter names");
        }
    }

    private static ServiceProblem bad(String message, String remedy) {
        return new ServiceProblem(ServiceProblem.Code.BAD_PATH, message, remedy);
    }
}
