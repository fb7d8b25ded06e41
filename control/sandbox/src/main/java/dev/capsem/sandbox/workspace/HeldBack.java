package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.GitTerritory;
import dev.capsem.sandbox.workspace.git.RunByGit;
import dev.capsem.sandbox.workspace.manifest.TomlPackage;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.Change.Kind;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.FoldedName;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Changes that would act on the host by merely being there: they come back only when a person names them.
/// A courtesy against the obvious, not a barrier: whoever runs a project's code runs what the guest wrote in it.
final class HeldBack {
    private final Anchor original;
    private final Anchor upper;
    private final GuestContents guest;
    private final RunByGit runByGit;
    private final List<Alias> aliases;

    /// A link of the user's where tools look, and what it leads to; both relative to the project.
    private record Alias(Path link, Path target) {
        Optional<Path> of(Path path) {
            return path.startsWith(target) ? Optional.of(link.resolve(target.relativize(path))) : Optional.empty();
        }
    }

    /// @param skipped why a change does not come, stopping nothing else
    /// @param held those that come when they are named
    record Waiting(List<ApplyProblem> skipped, List<Path> held) {
        Waiting {
            skipped = List.copyOf(skipped);
            held = List.copyOf(held);
        }

        Waiting and(List<ApplyProblem> others) {
            var all = new ArrayList<>(skipped);
            all.addAll(others);
            return new Waiting(all, held);
        }
    }

    HeldBack(Anchor original, Anchor upper, GuestContents guest, RunByGit runByGit) {
        this(original, upper, guest, runByGit, List.of());
    }

    private HeldBack(Anchor original, Anchor upper, GuestContents guest, RunByGit runByGit, List<Alias> aliases) {
        this.original = original;
        this.upper = upper;
        this.guest = guest;
        this.runByGit = runByGit;
        this.aliases = aliases;
    }

    /// @param project the original, with all links resolved
    HeldBack withLinksOf(Path project, ProjectManifest manifest) {
        var found = new ArrayList<Alias>();
        for (Path path : manifest.paths()) {
            boolean isLink = manifest.entry(path)
                    .filter(entry -> entry.type() == FileType.SYMLINK)
                    .isPresent();
            if (isLink && isOfTools(path)) {
                target(project.resolve(path))
                        .filter(target -> target.startsWith(project))
                        .ifPresent(target -> found.add(new Alias(path, project.relativize(target))));
            }
        }
        return new HeldBack(original, upper, guest, runByGit, found);
    }

    private static boolean isOfTools(Path link) {
        return ToolFiles.leadsToOne(link) || ToolFiles.kind(link).isPresent() || ToolFiles.isPackage(link);
    }

    /// Where a link of the user's leads, or would lead if something were there.
    private static Optional<Path> target(Path link) {
        try {
            return Optional.of(link.toRealPath());
        } catch (IOException dangling) {
            try {
                return Optional.of(
                        link.resolveSibling(Files.readSymbolicLink(link)).normalize());
            } catch (IOException gone) {
                return Optional.empty();
            }
        }
    }

    /// @param selection what a person named
    Waiting among(ProjectChanges.Found found, Selection selection) {
        var skipped = new ArrayList<ApplyProblem>();
        var held = new ArrayList<Path>();
        Set<Path> holders = new HashSet<>();
        // From the leaves up: a directory is not removed while something in it waits.
        for (Change change : found.changes().reversed()) {
            Optional<ApplyProblem> never = never(change, found);
            if (never.isPresent()) {
                skipped.add(never.get());
                continue;
            }
            Optional<String> reason = holders.contains(change.path()) && removesDirectory(change)
                    ? Optional.of("removed inside, but something in it waits to be named")
                    : reason(change).filter(_ -> !selection.means(change.path()));
            if (reason.isPresent()) {
                held.add(change.path());
                skipped.add(new ApplyProblem(
                        change.path(), reason.get(), "look at it, then name it: capsem apply ID " + change.path()));
                for (Path above = change.path().getParent(); above != null; above = above.getParent()) {
                    holders.add(above);
                }
            }
        }
        skipped.addAll(gitsOwn(found, selection));
        return new Waiting(skipped.reversed(), held.reversed());
    }

    private static boolean removesDirectory(Change change) {
        return change.was(FileType.DIRECTORY) && !change.isNow(FileType.DIRECTORY);
    }

    private static Optional<ApplyProblem> never(Change change, ProjectChanges.Found found) {
        if (found.holdingGit().contains(change.path())) {
            return Optional.of(new ApplyProblem(
                    change.path(),
                    "removed inside, but it holds a git repository of yours, which is never removed for you",
                    "look at it, then remove it yourself"));
        }
        return change.kind() == Kind.SPECIAL
                ? Optional.of(new ApplyProblem(
                        change.path(),
                        "a FIFO, socket or device is never brought back",
                        "make it on the host yourself"))
                : Optional.empty();
    }

    /// Repositories that the guest made, which are no changes of files. Those named `.git` speak through their commits.
    private List<ApplyProblem> gitsOwn(ProjectChanges.Found found, Selection selection) {
        return found.gitDirectories().stream()
                .filter(selection::holds)
                .filter(path -> type(original, path).isEmpty())
                .filter(path -> !path.endsWith(".git")
                        || type(upper, path).filter(FileType.DIRECTORY::equals).isEmpty())
                .sorted((a, b) -> b.compareTo(a))
                .map(path -> new ApplyProblem(
                        path,
                        "belongs to a git repository made inside, which never comes back as files",
                        "clone or make it yourself on the host"))
                .toList();
    }

    /// Why this change waits to be named; empty when it need not.
    private Optional<String> reason(Change change) {
        if (change.isDirectory() || change.kind() == Kind.UNREADABLE) {
            return Optional.empty();
        }
        if (isRun(change)) {
            return Optional.of("tools on your machine run it, or take orders from it, by themselves");
        }
        if (change.kind() == Kind.DELETED) {
            return Optional.empty();
        }
        if (isEntryPoint(change.path())) {
            return Optional.of("an entry point, which people and editors start without looking");
        }
        if (change.link().isPresent()) {
            return linkReason(change.path(), change.link().get());
        }
        return isPackage(change.path()) && change.kind() != Kind.MODE ? packageReason(change) : Optional.empty();
    }

    private boolean isRun(Change change) {
        return runByGit.holds(change.path()) || isOfKind(change.path(), ToolFiles.Kind.BY_ITSELF);
    }

    private boolean isEntryPoint(Path path) {
        return isOfKind(path, ToolFiles.Kind.ENTRY_POINT);
    }

    private boolean isOfKind(Path path, ToolFiles.Kind kind) {
        return spellings(path).stream()
                .anyMatch(spelling ->
                        ToolFiles.kind(spelling).filter(kind::equals).isPresent());
    }

    private boolean isPackage(Path path) {
        return spellings(path).stream().anyMatch(ToolFiles::isPackage);
    }

    /// The path, and those under which links of the user's show it.
    private List<Path> spellings(Path path) {
        var all = new ArrayList<Path>(List.of(path));
        aliases.forEach(alias -> alias.of(path).ifPresent(all::add));
        return all;
    }

    private Optional<String> packageReason(Change change) {
        try {
            Optional<byte[]> after = guest.bytes(change.path(), ProjectDiff.SHOWN_FILE_BYTES_MAX);
            if (after.isEmpty()) {
                return Optional.of("it is too large to compare its scripts");
            }
            byte[] before = before(change);
            for (Path spelling : spellings(change.path())) {
                Optional<TomlPackage> toml = TomlPackage.named(FoldedName.of(spelling.getFileName()));
                Optional<String> reason = !ToolFiles.isPackage(spelling)
                        ? Optional.empty()
                        : toml.isPresent()
                                ? toml.get().reason(before, after.get())
                                : PackageFile.reason(before, after.get());
                if (reason.isPresent()) {
                    return reason;
                }
            }
            return Optional.empty();
        } catch (IOException closed) {
            return Optional.of("its scripts cannot be compared: " + closed.getMessage());
        }
    }

    private byte[] before(Change change) throws IOException {
        Optional<Anchor> opened = change.was(FileType.REGULAR) ? original.descend(change.path()) : Optional.empty();
        if (opened.isEmpty()) {
            return new byte[0];
        }
        try (Anchor file = opened.get()) {
            return file.type() == FileType.REGULAR
                    ? Content.bytes(file, ProjectDiff.SHOWN_FILE_BYTES_MAX).orElse(new byte[0])
                    : new byte[0];
        }
    }

    private Optional<String> linkReason(Path path, Path target) {
        if (ToolFiles.leadsToOne(path) || ToolFiles.isPackage(path)) {
            return Optional.of("a link that stands where tools on your machine look, to " + target);
        }
        return leadsOut(path, target)
                ? Optional.of(
                        "a link that leads out of the project, into git's own, or through another link, to " + target)
                : Optional.empty();
    }

    /// Step by step, as the kernel goes: a link on the way may lead anywhere, whatever the text looks like. A `..`
    /// after a name counts as out, since that name may become a link later.
    private boolean leadsOut(Path path, Path target) {
        if (target.isAbsolute()) {
            return true;
        }
        Path at = path.getParent() == null ? Path.of("") : path.getParent();
        boolean isDown = false;
        for (int i = 0; i < target.getNameCount(); i++) {
            String name = target.getName(i).toString();
            if (name.equals("..")) {
                if (isDown || at.toString().isEmpty()) {
                    return true;
                }
                at = at.getParent() == null ? Path.of("") : at.getParent();
            } else if (!name.equals(".") && !name.isEmpty()) {
                isDown = true;
                at = at.toString().isEmpty() ? Path.of(name) : at.resolve(name);
                boolean isOnTheWay = i < target.getNameCount() - 1;
                if (GitTerritory.isName(target.getName(i)) || (isOnTheWay && isLink(at))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isLink(Path path) {
        return List.of(upper, original).stream()
                .anyMatch(layer ->
                        type(layer, path).filter(FileType.SYMLINK::equals).isPresent());
    }

    /// What cannot be looked at counts as a link.
    private static Optional<FileType> type(Anchor layer, Path path) {
        try {
            Optional<Anchor> opened = layer.descend(path);
            if (opened.isEmpty()) {
                return Optional.empty();
            }
            try (Anchor present = opened.get()) {
                return Optional.of(present.type());
            }
        } catch (IOException closed) {
            return Optional.of(FileType.SYMLINK);
        }
    }
}
