package dev.capsem.sandboxserver.workspaces;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecRequest;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/// The operations on workspaces. Work inside a sandbox is done by the guest's own tar, with the
/// guest's rights.
public final class Workspaces implements SandboxChanges.Listener {
    static final int ARCHIVE_BYTES_MAX = 32 * 1_048_576;
    static final int WORKSPACES_MAX = 256;
    static final int REVISIONS_MAX = 100;
    private static final int TRANSFER_SECS_MAX = 120;
    private static final Set<String> ENDS = Set.of("stopped", "crashed", "deleted");

    private static final String UNPACK = """
            mkdir -p -- "$1" || exit 1
            [ -z "$(ls -A -- "$1")" ] || exit 3
            exec tar -xpf - -C "$1"
            """;

    private static final String PACK = """
            [ -d "$1" ] || exit 2
            exec tar --format=gnu --numeric-owner -cf - -C "$1" .
            """;

    private final RevisionStore shelf;
    private final Commands commands;
    private final Clock clock;

    public Workspaces(Path directory, Commands commands, Clock clock) {
        this.shelf = new RevisionStore(directory);
        this.commands = commands;
        this.clock = clock;
    }

    Collection<SharedWorkspace> all() {
        return shelf.all();
    }

    SharedWorkspace get(String name) {
        return shelf.get(name);
    }

    synchronized SharedWorkspace create(String name) {
        if (shelf.has(name)) {
            throw ApiProblem.conflict("there is a workspace of this name", "choose another name, or use that one");
        }
        if (shelf.all().size() >= WORKSPACES_MAX) {
            throw new ApiProblem(
                            ApiProblem.Code.QUOTA_EXCEEDED,
                            "there are " + WORKSPACES_MAX + " workspaces, which is the limit",
                            "delete one: DELETE /v1/workspaces/{name}")
                    .with("limit", WORKSPACES_MAX);
        }
        SharedWorkspace fresh = new SharedWorkspace(name, clock.instant(), List.of(), Map.of());
        shelf.put(fresh);
        return fresh;
    }

    synchronized void delete(String name) {
        shelf.get(name);
        shelf.remove(name);
    }

    /// Copies its newest revision into an empty directory of the sandbox.
    synchronized SharedWorkspace attach(String name, String sandbox, String path) {
        SharedWorkspace workspace = shelf.get(name);
        byte[] archive =
                workspace.head().map(revision -> shelf.archive(name, revision)).orElse(Archive.EMPTY);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int exit = run(sandbox, UNPACK, path, Optional.of(archive), said);
        if (exit == 3) {
            throw ApiProblem.conflict(
                    "the directory is not empty", "attach it elsewhere with path, or remove what is there");
        }
        requireDone(exit, path);
        SharedWorkspace attached = workspace.attachedTo(sandbox, Optional.of(path));
        shelf.put(attached);
        return attached;
    }

    /// Takes the directory of an attached sandbox as the newest revision. A directory that did not change makes none.
    synchronized Revision commit(String name, String sandbox, String message) {
        SharedWorkspace workspace = shelf.get(name);
        String path = Optional.ofNullable(workspace.attached().get(sandbox))
                .orElseThrow(() -> ApiProblem.conflict(
                        "the workspace is not attached to this sandbox",
                        "attach it first: POST /v1/workspaces/{name}/attach"));
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        requireDone(run(sandbox, PACK, path, Optional.empty(), archive), path);
        byte[] bytes = archive.toByteArray();
        String hash = hash(bytes);
        Optional<Revision> head = workspace.head();
        if (head.isPresent() && head.get().hash().equals(hash)) {
            return head.get();
        }
        return keep(workspace, bytes, Optional.of(sandbox), Optional.empty(), message);
    }

    /// A new revision with the content of an old one. Sandboxes that it is attached to keep what they have.
    synchronized Revision revert(String name, int number) {
        SharedWorkspace workspace = shelf.get(name);
        byte[] bytes = shelf.archive(name, required(workspace, number));
        return keep(workspace, bytes, Optional.empty(), Optional.of(number), "revert to " + number);
    }

    private Revision keep(
            SharedWorkspace workspace,
            byte[] bytes,
            Optional<String> sandbox,
            Optional<Integer> revertOf,
            String message) {
        int number = workspace.head().map(Revision::number).orElse(0) + 1;
        int files = Archive.read(bytes).files().size();
        Revision revision =
                new Revision(number, clock.instant(), sandbox, revertOf, message, files, bytes.length, hash(bytes));
        shelf.keep(workspace.name(), number, bytes);
        // As it is by now: a sandbox may have ended meanwhile.
        SharedWorkspace next = shelf.get(workspace.name()).with(revision, REVISIONS_MAX);
        shelf.put(next);
        Set<Integer> dropped =
                workspace.revisions().stream().map(Revision::number).collect(Collectors.toSet());
        next.revisions().forEach(one -> dropped.remove(one.number()));
        shelf.drop(workspace.name(), dropped);
        return revision;
    }

    /// @param from absent: before the first one
    WorkspaceDiff diff(String name, Optional<Integer> from, int to) {
        SharedWorkspace workspace = shelf.get(name);
        Archive before = Archive.read(from.map(number -> shelf.archive(name, required(workspace, number)))
                .orElse(Archive.EMPTY));
        Archive after = Archive.read(shelf.archive(name, required(workspace, to)));
        return WorkspaceDiff.of(before, after);
    }

    private static Revision required(SharedWorkspace workspace, int number) {
        return workspace
                .revision(number)
                .orElseThrow(() -> new ApiProblem(
                                ApiProblem.Code.NOT_FOUND,
                                "there is no such revision",
                                "see which there are: GET /v1/workspaces/{name}/log")
                        .because(workspace.name() + " has no revision " + number));
    }

    /// A sandbox is about to be ended on purpose.
    ///
    /// @param name of a workspace that was attached to it
    /// @param revision as of now; empty when it could not be taken
    public record Saved(String name, Optional<Integer> revision, String problem) {}

    public List<Saved> saveAll(String sandbox) {
        List<Saved> saved = new ArrayList<>();
        for (SharedWorkspace workspace : shelf.all()) {
            if (workspace.attached().containsKey(sandbox)) {
                try {
                    Revision revision = commit(workspace.name(), sandbox, "saved when " + sandbox + " ended");
                    saved.add(new Saved(workspace.name(), Optional.of(revision.number()), ""));
                } catch (ApiProblem | ServiceProblem e) {
                    saved.add(new Saved(workspace.name(), Optional.empty(), String.valueOf(e.getMessage())));
                }
            }
        }
        return saved;
    }

    @Override
    public void happened(Sandbox sandbox, String what) {
        if (!ENDS.contains(what)) {
            return;
        }
        String id = sandbox.id().value();
        for (SharedWorkspace workspace : shelf.all()) {
            if (workspace.attached().containsKey(id)) {
                shelf.put(workspace.attachedTo(id, Optional.empty()));
            }
        }
    }

    private int run(String sandbox, String script, String path, Optional<byte[]> input, ByteArrayOutputStream output) {
        ExecRequest request = new ExecRequest(
                new ExecRequest.Command.Argv(List.of("/bin/sh", "-c", script, "sh", path)),
                input,
                Map.of(),
                Optional.empty(),
                Optional.of(TRANSFER_SECS_MAX),
                Optional.of("api"));
        AtomicInteger exit = new AtomicInteger();
        commands.stream(sandbox, request, event -> {
            switch (event) {
                case ExecEvent.Stdout out -> append(output, out.data());
                case ExecEvent.Exited exited -> exit.set(exited.exitCode());
                case ExecEvent.Started _, ExecEvent.Stderr _, ExecEvent.Failed _ -> {}
            }
        });
        return exit.get();
    }

    private static void append(ByteArrayOutputStream output, byte[] data) {
        if (output.size() + data.length > ARCHIVE_BYTES_MAX) {
            throw new ApiProblem(
                            ApiProblem.Code.QUOTA_EXCEEDED,
                            "a revision holds " + ARCHIVE_BYTES_MAX + " bytes at most",
                            "remove what can be made again, for example build results")
                    .with("limit", ARCHIVE_BYTES_MAX);
        }
        output.writeBytes(data);
    }

    private static void requireDone(int exit, String path) {
        if (exit == 2) {
            throw new ApiProblem(
                            ApiProblem.Code.NOT_FOUND,
                            "the directory of the workspace is gone",
                            "make it again, or attach the workspace elsewhere")
                    .with("path", path);
        }
        if (exit != 0) {
            throw new ApiProblem(
                            ApiProblem.Code.FILE_FAILED,
                            "tar in the sandbox failed with " + exit,
                            "is the disk full, or a file unreadable?")
                    .with("path", path);
        }
    }

    private static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
