package dev.capsem.sandboxserver.files;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.files.GuestFile;
import dev.capsem.service.files.SandboxFiles;
import dev.capsem.wire.service.ExecRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The file operations of a client. Below `/root` (or by a relative path, which means the same) the agent does it;
/// for the rest of the guest's file system a shell of the guest does, so that nothing is reached that a command
/// could not reach.
public final class GuestFiles {
    public static final int FILE_BYTES_MAX = SandboxFiles.FILE_BYTES_MAX;
    private static final String WORKSPACE = "/root";
    private static final int PATH_BYTES_MAX = 4_095;
    private static final int OPERATION_SECS_MAX = 60;

    /// Exit codes as of the agent's file operations: 2 not found, 3 not of the right kind, 4 too large.
    private static final String READ = """
            [ -e "$1" ] || exit 2; [ -f "$1" ] || exit 3
            [ "$(wc -c < "$1")" -le "$2" ] || exit 4
            exec cat -- "$1"
            """;

    private static final String WRITE = """
            [ ! -d "$1" ] || exit 3
            mkdir -p -- "$(dirname -- "$1")" && cat > "$1" && chmod -- "$2" "$1"
            """;

    private static final String LIST = """
            [ -e "$1" ] || exit 2; [ -d "$1" ] || exit 3
            exec find "$1" -mindepth 1 -maxdepth 1 -printf '%y %s %Ts %m %p\\0'
            """;

    private static final String STAT = """
            [ -e "$1" ] || [ -L "$1" ] || exit 2
            exec find "$1" -maxdepth 0 -printf '%y %s %Ts %m %p\\0'
            """;

    private static final String MAKE = """
            [ ! -e "$1" ] || [ -d "$1" ] || exit 3
            exec mkdir -p -- "$1"
            """;

    private static final String REMOVE = """
            [ -e "$1" ] || [ -L "$1" ] || exit 2
            exec rm -rf -- "$1"
            """;

    private final SandboxFiles files;
    private final Commands commands;

    public GuestFiles(SandboxFiles files, Commands commands) {
        this.files = files;
        this.commands = commands;
    }

    public byte[] read(String id, String path) {
        if (isInWorkspace(path)) {
            return files.read(id, path);
        }
        return shell(id, path, READ, Optional.empty(), Integer.toString(FILE_BYTES_MAX));
    }

    /// Replaces or creates it; parents are made.
    public void write(String id, String path, byte[] content, Optional<Integer> mode) {
        int bits = mode.orElse(SandboxFiles.MODE_DEFAULT);
        if (bits < 0 || bits > 0777) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT, "mode is not a permission from 0 to 0777", "leave it out for 0644");
        }
        if (content.length > FILE_BYTES_MAX) {
            throw tooLarge(path);
        }
        if (isInWorkspace(path)) {
            files.write(id, path, content, bits);
        } else {
            shell(id, path, WRITE, Optional.of(content), "0%o".formatted(bits));
        }
    }

    /// The direct children, by name. Paths are absolute.
    public List<GuestFile> list(String id, String path) {
        List<GuestFile> found = isInWorkspace(path)
                ? files.children(id, path).stream().map(GuestFiles::absolute).toList()
                : SandboxFiles.parse(shell(id, path, LIST, Optional.empty()));
        return found.stream().sorted(Comparator.comparing(GuestFile::path)).toList();
    }

    public GuestFile stat(String id, String path) {
        return SandboxFiles.parse(shell(id, path, STAT, Optional.empty())).stream()
                .findFirst()
                .orElseThrow(() -> failed(path, "the guest's find gave no answer"));
    }

    /// With its parents; nothing happens when it is there.
    public void makeDirectory(String id, String path) {
        shell(id, path, MAKE, Optional.empty());
    }

    /// A directory goes with all that is in it.
    public void remove(String id, String path) {
        String full = full(path);
        if (full.equals("/") || full.equals(WORKSPACE)) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT, "this directory cannot be removed", "remove what is in it");
        }
        shell(id, path, REMOVE, Optional.empty());
    }

    private static boolean isInWorkspace(String path) {
        return !path.startsWith("/") || path.equals(WORKSPACE) || path.startsWith(WORKSPACE + "/");
    }

    private static GuestFile absolute(GuestFile facts) {
        return new GuestFile(WORKSPACE + "/" + facts.path(), facts.type(), facts.size(), facts.mtime(), facts.mode());
    }

    /// Below `/root` unless it begins at the root; exact, or a problem.
    public static String full(String path) {
        String full = path.startsWith("/") ? path : WORKSPACE + "/" + path;
        int bytes = full.getBytes(StandardCharsets.UTF_8).length;
        boolean isExact = List.of(full.substring(1).split("/", -1)).stream()
                .noneMatch(part -> part.equals("..") || part.equals("."));
        if (path.isEmpty() || bytes > PATH_BYTES_MAX || full.indexOf('\0') >= 0 || !isExact) {
            throw new ApiProblem(
                            ApiProblem.Code.INVALID_INPUT,
                            "the path is empty, too long, or holds `.`, `..` or NUL",
                            "name the file directly, for example /root/notes.txt")
                    .with("path", path.replace("\0", "\\0"));
        }
        return full;
    }

    private byte[] shell(String id, String path, String script, Optional<byte[]> input, String... more) {
        List<String> argv = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh", full(path)));
        argv.addAll(List.of(more));
        ExecRequest plain = new ExecRequest(
                new ExecRequest.Command.Argv(argv),
                input,
                Map.of(),
                Optional.empty(),
                Optional.of(OPERATION_SECS_MAX),
                Optional.of("api"));
        try (Commands.Finished finished = commands.finish(id, plain, () -> {})) {
            return switch (finished.facts().exitCode()) {
                case 0 -> finished.stdout().bytes();
                case 2 ->
                    throw new ApiProblem(
                                    ApiProblem.Code.NOT_FOUND,
                                    "file not found",
                                    "list the directory: POST /v1/files/list")
                            .because("there is no " + path)
                            .with("path", path);
                case 3 -> throw failed(path, "it is a directory where a file is needed, or the other way round");
                case 4 -> throw tooLarge(path);
                default -> throw failed(path, finished.reply().stderr().strip());
            };
        }
    }

    private static ApiProblem failed(String path, String cause) {
        return new ApiProblem(
                        ApiProblem.Code.FILE_FAILED,
                        "the file operation failed",
                        "files below /root can always be written; others as the guest's own rights allow")
                .because(cause.isEmpty() ? "the guest did not say why" : cause)
                .with("path", path);
    }

    private static ApiProblem tooLarge(String path) {
        return new ApiProblem(
                        ApiProblem.Code.BODY_TOO_LARGE,
                        "the file is larger than " + FILE_BYTES_MAX + " bytes",
                        "move it in parts, for example with `split`")
                .with("path", path);
    }
}
