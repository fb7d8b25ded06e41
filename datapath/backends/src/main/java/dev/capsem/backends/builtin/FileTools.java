package dev.capsem.backends.builtin;

import com.google.re2j.Pattern;
import dev.capsem.backends.builtin.BuiltinTool.Hints;
import dev.capsem.backends.builtin.BuiltinTool.Schema;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Tools on the files of the workspace.
final class FileTools {
    private static final int FILE_BYTES_MAX = 10 * 1024 * 1024;
    private static final long READ_LENGTH_DEFAULT = 50_000;
    private static final long READ_LENGTH_MAX = 512 * 1024;
    private static final int DEPTH_MAX = 32;
    private static final int MATCHES_MAX = 1_000;
    private static final int SEARCHED_FILE_BYTES_MAX = 1024 * 1024;
    private static final Hints LOOKING = new Hints(true, false, true, false);
    private static final Hints CHANGING = new Hints(false, true, true, false);

    private final WorkspaceFiles workspace;

    FileTools(WorkspaceFiles workspace) {
        this.workspace = workspace;
    }

    List<BuiltinTool> tools() {
        Schema.Argument path = Schema.required("path", "string", "Relative to /root, or below it.");
        return List.of(
                BuiltinTool.of(
                        "file_read",
                        "Reads a file of the workspace. Long files come in parts: go on with start_index.",
                        LOOKING,
                        Schema.of(
                                path,
                                Schema.optional("start_index", "integer", "Byte to begin at; default 0."),
                                Schema.optional("max_length", "integer", "Bytes to read; default 50000."),
                                Schema.optional("encoding", "string", "utf-8 (default) or base64.")),
                        this::read),
                BuiltinTool.of(
                        "file_write",
                        "Writes a file of the workspace, whole or not at all. Missing directories are made.",
                        CHANGING,
                        Schema.of(
                                path,
                                Schema.required("content", "string", "What the file will hold."),
                                Schema.optional("encoding", "string", "utf-8 (default) or base64.")),
                        this::write),
                BuiltinTool.of(
                        "file_edit",
                        "Replaces text in a file of the workspace. The old text must be there exactly once, unless"
                                + " replace_all is true.",
                        new Hints(false, true, false, false),
                        Schema.of(
                                path,
                                Schema.required("old_text", "string", "What is there now."),
                                Schema.required("new_text", "string", "What comes in its place."),
                                Schema.optional("replace_all", "boolean", "Wherever it is; default false.")),
                        this::edit),
                BuiltinTool.of(
                        "file_delete",
                        "Deletes a file or link of the workspace.",
                        CHANGING,
                        Schema.of(path),
                        this::delete),
                BuiltinTool.of(
                        "file_stat",
                        "Says what a path of the workspace is: type, size, time of the last change.",
                        LOOKING,
                        Schema.of(path),
                        arguments -> ToolResult.of(json(workspace.stat(path(arguments))))),
                BuiltinTool.of(
                        "file_search",
                        "Finds lines of the workspace's files that match a regular expression.",
                        LOOKING,
                        Schema.of(
                                Schema.required("pattern", "string", "An RE2 regular expression."),
                                Schema.optional("path", "string", "Where to search; default all of it."),
                                Schema.optional("max_matches", "integer", "Default 100.")),
                        this::search),
                BuiltinTool.of(
                        "dir_list",
                        "Lists a directory of the workspace.",
                        LOOKING,
                        Schema.of(
                                Schema.optional("path", "string", "Default: the workspace itself."),
                                Schema.optional("depth", "integer", "Levels; default 1.")),
                        this::list),
                BuiltinTool.of(
                        "dir_create",
                        "Makes a directory of the workspace, with those above it that are missing.",
                        new Hints(false, false, true, false),
                        Schema.of(path),
                        arguments -> {
                            WorkPath made = path(arguments);
                            workspace.createDirectory(made);
                            return ToolResult.of(
                                    Json.object().put("path", made.toString()).put("created", true));
                        }),
                BuiltinTool.of(
                        "dir_delete",
                        "Deletes a directory of the workspace.",
                        CHANGING,
                        Schema.of(
                                path,
                                Schema.optional("recursive", "boolean", "With all that is in it; default false.")),
                        arguments -> {
                            WorkPath gone = path(arguments);
                            workspace.deleteDirectory(gone, arguments.flag("recursive", false));
                            return ToolResult.of(
                                    Json.object().put("path", gone.toString()).put("deleted", true));
                        }));
    }

    private ToolResult read(JsonMembers arguments) throws BuiltinToolFailure {
        WorkPath path = path(arguments);
        byte[] bytes = workspace.read(path, FILE_BYTES_MAX);
        long start = Math.max(0, arguments.number("start_index", 0));
        long length = Math.max(1, Math.min(READ_LENGTH_MAX, arguments.number("max_length", READ_LENGTH_DEFAULT)));
        ObjectNode json = Json.object().put("path", path.toString()).put("size", bytes.length);
        if (isBase64(arguments)) {
            int from = (int) Math.min(start, bytes.length);
            int until = (int) Math.min(bytes.length, from + length);
            json.put("start", from).put("end", until).put("encoding", "base64");
            json.put("content", Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, from, until)));
            return ToolResult.of(json);
        }
        Paging window = Paging.of(text(path, bytes), start, length);
        json.put("start", window.start()).put("end", window.end()).put("content", window.chunk());
        return new ToolResult(window.chunk(), Optional.of(json));
    }

    private ToolResult write(JsonMembers arguments) throws BuiltinToolFailure {
        WorkPath path = path(arguments);
        byte[] content = isBase64(arguments)
                ? arguments.bytes("content")
                : arguments.text("content").getBytes(StandardCharsets.UTF_8);
        workspace.write(path, limited(content), true);
        return ToolResult.of(Json.object().put("path", path.toString()).put("bytes", content.length));
    }

    private ToolResult edit(JsonMembers arguments) throws BuiltinToolFailure {
        WorkPath path = path(arguments);
        String old = arguments.text("old_text");
        String fresh = arguments.text("new_text");
        if (old.isEmpty()) {
            throw new BuiltinToolFailure("old_text is empty");
        }
        String text = text(path, workspace.read(path, FILE_BYTES_MAX));
        int count = 0;
        for (int at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length())) {
            count++;
        }
        boolean all = arguments.flag("replace_all", false);
        if (count == 0) {
            throw new BuiltinToolFailure("old_text is not in " + path);
        }
        if (count > 1 && !all) {
            throw new BuiltinToolFailure(
                    "old_text is in " + path + " " + count + " times; give more of it, or replace_all");
        }
        workspace.write(path, limited(text.replace(old, fresh).getBytes(StandardCharsets.UTF_8)), false);
        return ToolResult.of(Json.object().put("path", path.toString()).put("replaced", count));
    }

    private ToolResult delete(JsonMembers arguments) throws BuiltinToolFailure {
        WorkPath path = path(arguments);
        workspace.deleteFile(path);
        return ToolResult.of(Json.object().put("path", path.toString()).put("deleted", true));
    }

    private ToolResult list(JsonMembers arguments) throws BuiltinToolFailure {
        WorkPath path = WorkPath.parse(arguments.optionalText("path").orElse(""));
        int depth = (int) Math.max(1, Math.min(DEPTH_MAX, arguments.number("depth", 1)));
        ObjectNode json = Json.object().put("path", path.toString());
        ArrayNode entries = json.putArray("entries");
        workspace.list(path, depth).forEach(entry -> entries.add(json(entry)));
        return ToolResult.of(json);
    }

    private ToolResult search(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException {
        Pattern pattern = HttpTools.pattern(arguments.text("pattern"));
        WorkPath path = WorkPath.parse(arguments.optionalText("path").orElse(""));
        int most = (int) Math.max(1, Math.min(MATCHES_MAX, arguments.number("max_matches", 100)));
        ObjectNode json = Json.object();
        ArrayNode matches = json.putArray("matches");
        boolean isCut = false;
        for (WorkspaceFiles.Entry entry : workspace.list(path, DEPTH_MAX)) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (entry.type().equals("file") && entry.size() <= SEARCHED_FILE_BYTES_MAX && !isCut) {
                isCut = searchFile(entry, pattern, most, matches);
            }
        }
        return ToolResult.of(json.put("truncated", isCut));
    }

    /// Whether there are more matches than wanted. Files that are gone or no text are passed over.
    private boolean searchFile(WorkspaceFiles.Entry entry, Pattern pattern, int most, ArrayNode matches) {
        String[] lines;
        try {
            WorkPath path = WorkPath.parse(entry.path());
            lines = text(path, workspace.read(path, SEARCHED_FILE_BYTES_MAX)).split("\r?\n", -1);
        } catch (BuiltinToolFailure e) {
            return false;
        }
        for (int i = 0; i < lines.length; i++) {
            if (pattern.matcher(lines[i]).find()) {
                if (matches.size() >= most) {
                    return true;
                }
                String shown = lines[i].length() > 500 ? lines[i].substring(0, 500) : lines[i];
                matches.addObject().put("path", entry.path()).put("line", i + 1).put("text", shown);
            }
        }
        return false;
    }

    private static WorkPath path(JsonMembers arguments) throws BuiltinToolFailure {
        return WorkPath.parse(arguments.text("path"));
    }

    private static boolean isBase64(JsonMembers arguments) throws BuiltinToolFailure {
        String encoding = arguments.optionalText("encoding").orElse("utf-8");
        if (!encoding.equals("utf-8") && !encoding.equals("base64")) {
            throw new BuiltinToolFailure("encoding is utf-8 or base64");
        }
        return encoding.equals("base64");
    }

    private static byte[] limited(byte[] content) throws BuiltinToolFailure {
        if (content.length > FILE_BYTES_MAX) {
            throw new BuiltinToolFailure("a file of more than " + FILE_BYTES_MAX + " bytes is not written");
        }
        return content;
    }

    private static String text(WorkPath path, byte[] bytes) throws BuiltinToolFailure {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BuiltinToolFailure(path + " is not UTF-8 text; use encoding=base64");
        }
    }

    private static ObjectNode json(WorkspaceFiles.Entry entry) {
        return Json.object()
                .put("path", entry.path())
                .put("type", entry.type())
                .put("size", entry.size())
                .put("modified", entry.modifiedUnix());
    }
}
