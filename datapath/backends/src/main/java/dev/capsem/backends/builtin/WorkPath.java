package dev.capsem.backends.builtin;

import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ToolFailure;
import java.util.ArrayList;
import java.util.List;

/// A place below the workspace, in parts that are plain names.
record WorkPath(List<String> parts) {
    /// Where the guest sees the workspace.
    private static final String GUEST_ROOT = "/root";

    private static final int LENGTH_MAX = 4_096;
    /// As an argument of a tool.
    static final Argument.Text TEXT = Argument.Text.of(0, LENGTH_MAX + GUEST_ROOT.length() + 1);

    /// Takes what the guest would say: relative to its home, or beginning with `/root`. Anything that could lead
    /// elsewhere is refused, not repaired.
    static WorkPath parse(String text) {
        String rest = text;
        if (rest.equals(GUEST_ROOT) || rest.startsWith(GUEST_ROOT + "/")) {
            rest = rest.substring(GUEST_ROOT.length());
            rest = rest.startsWith("/") ? rest.substring(1) : rest;
        }
        if (rest.startsWith("/") || rest.indexOf('\0') >= 0 || rest.length() > LENGTH_MAX) {
            throw new ToolFailure("a path is relative to /root, or below it");
        }
        List<String> parts = new ArrayList<>();
        for (String part : rest.split("/", -1)) {
            if (part.equals("..")) {
                throw new ToolFailure("a path must not contain ..");
            }
            if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return new WorkPath(List.copyOf(parts));
    }

    WorkPath parent() {
        return prefix(parts.size() - 1);
    }

    WorkPath prefix(int length) {
        return new WorkPath(parts.subList(0, length));
    }

    @Override
    public String toString() {
        return String.join("/", parts);
    }
}
