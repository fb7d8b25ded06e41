package dev.capsem.sandbox.workspace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Changes that would act on the host by merely being there: they come back only when a person names them.
/// A courtesy against the obvious, not a barrier: whoever runs a project's code runs what the guest wrote in it.
final class HeldBack {
    /// What tools run, or take orders from, when they merely meet it in a project.
    private static final Set<String> RUN_FILES = Set.of(
            ".envrc",
            ".mcp.json",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            "opencode.json",
            ".cursor/mcp.json",
            ".codex/config.toml",
            ".gemini/settings.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".devcontainer/devcontainer.json",
            ".devcontainer.json",
            ".vscode/mcp.json",
            ".vscode/tasks.json",
            ".vscode/launch.json",
            ".vscode/settings.json");

    private static final List<String> RUN_DIRECTORIES = List.of(".husky", ".githooks", ".claude/hooks");

    private final Anchor original;
    private final Anchor upper;

    HeldBack(Anchor original, Anchor upper) {
        this.original = original;
        this.upper = upper;
    }

    /// Why this change waits to be named; empty when it need not.
    Optional<String> reason(Change change) {
        if (isRunByTools(change.path()) && !change.isDirectory()) {
            return Optional.of("tools on your machine run it, or take orders from it, by themselves");
        }
        return change.link()
                .filter(target -> leadsOut(change.path(), target))
                .map(target -> "a link that leads out of the project, or through another link, to " + target);
    }

    /// Anywhere in the project: tools look for them beside the file that is open. In any case of letters, as some file
    /// systems do.
    private static boolean isRunByTools(Path path) {
        String text = "/" + path.toString().toLowerCase(Locale.ROOT);
        return RUN_FILES.stream().anyMatch(name -> text.endsWith("/" + name))
                || RUN_DIRECTORIES.stream().anyMatch(name -> text.contains("/" + name + "/"));
    }

    /// Step by step, as the kernel goes: a link on the way may lead anywhere, whatever the text looks like.
    private boolean leadsOut(Path path, Path target) {
        if (target.isAbsolute()) {
            return true;
        }
        Path at = path.getParent() == null ? Path.of("") : path.getParent();
        for (int i = 0; i < target.getNameCount(); i++) {
            String name = target.getName(i).toString();
            if (name.equals("..")) {
                if (at.toString().isEmpty()) {
                    return true;
                }
                at = at.getParent() == null ? Path.of("") : at.getParent();
            } else if (!name.equals(".") && !name.isEmpty()) {
                at = at.toString().isEmpty() ? Path.of(name) : at.resolve(name);
                if (i < target.getNameCount() - 1 && isLink(at)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isLink(Path path) {
        for (Anchor layer : List.of(upper, original)) {
            try {
                Optional<Anchor> opened = layer.descend(path);
                if (opened.isPresent()) {
                    try (Anchor present = opened.get()) {
                        return present.type() == FileType.SYMLINK;
                    }
                }
            } catch (IOException closed) {
                // Unknown is out.
                return true;
            }
        }
        return false;
    }
}
