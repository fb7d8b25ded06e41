package dev.capsem.backends.builtin;

import com.google.re2j.Pattern;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
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
    private static final Argument PATH = Argument.required("path", WorkPath.TEXT, "Relative to /root, or below it.");
    /// In base64 it is longer by a third.
    private static final Argument.Text CONTENT = Argument.Text.of(0, FILE_BYTES_MAX / 3 * 4 + 4);

    private static final Argument ENCODING = Argument.optional(
            "encoding", Argument.Choice.of("utf-8", "base64"), "How content is written; default utf-8.");

    private final WorkspaceFiles workspace;

    FileTools(WorkspaceFiles workspace) {
        this.workspace = workspace;
    }

    List<McpTool> tools() {
        List<McpTool> tools = new ArrayList<>(files());
        tools.addAll(directories());
        return tools;
    }

    private List<McpTool> files() {
        return List.of(
                McpTool.of(
                        "file_read",
                        "Read a file",
                        "Reads a file of the workspace. Long files come in parts: go on with start_index.",
                        Hints.LOOKS,
                        ArgumentSchema.of(
                                PATH,
                                Argument.optional(
                                        "start_index",
                                        Argument.Whole.between(0, FILE_BYTES_MAX),
                                        "Byte to begin at; default 0."),
                                Argument.optional(
                                        "max_length",
                                        Argument.Whole.between(1, READ_LENGTH_MAX)
                                                .orElse(READ_LENGTH_DEFAULT),
                                        "Bytes to read."),
                                ENCODING),
                        call -> read(call.arguments())),
                McpTool.of(
                        "file_write",
                        "Write a file",
                        "Writes a file of the workspace, whole or not at all. Missing directories are made.",
                        Hints.DESTROYS,
                        ArgumentSchema.of(
                                PATH, Argument.required("content", CONTENT, "What the file will hold."), ENCODING),
                        call -> write(call.arguments())),
                McpTool.of(
                        "file_edit",
                        "Edit a file",
                        "Replaces text in a file of the workspace. The old text must be there exactly once, unless"
                                + " replace_all is true.",
                        new Hints(false, true, false, false),
                        ArgumentSchema.of(
                                PATH,
                                Argument.required(
                                        "old_text", Argument.Text.of(1, FILE_BYTES_MAX), "What is there now."),
                                Argument.required("new_text", CONTENT, "What comes in its place."),
                                Argument.optional("replace_all", new Argument.Flag(false), "Wherever it is.")),
                        call -> edit(call.arguments())),
                McpTool.of(
                        "file_delete",
                        "Delete a file",
                        "Deletes a file or link of the workspace.",
                        Hints.DESTROYS,
                        ArgumentSchema.of(PATH),
                        call -> delete(call.arguments())),
                McpTool.of(
                        "file_stat",
                        "Look at a path",
                        "Says what a path of the workspace is: type, size, time of the last change.",
                        Hints.LOOKS,
                        ArgumentSchema.of(PATH),
                        call -> ToolAnswer.of(json(workspace.stat(path(call.arguments()))))),
                McpTool.of(
                        "file_search",
                        "Search files",
                        "Finds lines of the workspace's files that match a regular expression.",
                        Hints.LOOKS,
                        ArgumentSchema.of(
                                Argument.required("pattern", HttpTools.PATTERN, "An RE2 regular expression."),
                                Argument.optional("path", WorkPath.TEXT, "Where to search; default all of it."),
                                Argument.optional(
                                        "max_matches",
                                        Argument.Whole.between(1, MATCHES_MAX).orElse(100),
                                        "Matches to show.")),
                        call -> search(call.arguments())));
    }

    private List<McpTool> directories() {
        return List.of(
                McpTool.of(
                        "dir_list",
                        "List a directory",
                        "Lists a directory of the workspace.",
                        Hints.LOOKS,
                        ArgumentSchema.of(
                                Argument.optional("path", WorkPath.TEXT, "Default: the workspace itself."),
                                Argument.optional(
                                        "depth",
                                        Argument.Whole.between(1, DEPTH_MAX).orElse(1),
                                        "Levels.")),
                        call -> list(call.arguments())),
                McpTool.of(
                        "dir_create",
                        "Make a directory",
                        "Makes a directory of the workspace, with those above it that are missing.",
                        Hints.SETS,
                        ArgumentSchema.of(PATH),
                        call -> {
                            WorkPath made = path(call.arguments());
                            workspace.createDirectory(made);
                            return ToolAnswer.of(
                                    Json.object().put("path", made.toString()).put("created", true));
                        }),
                McpTool.of(
                        "dir_delete",
                        "Delete a directory",
                        "Deletes a directory of the workspace.",
                        Hints.DESTROYS,
                        ArgumentSchema.of(
                                PATH,
                                Argument.optional("recursive", new Argument.Flag(false), "With all that is in it.")),
                        call -> {
                            WorkPath gone = path(call.arguments());
                            workspace.deleteDirectory(gone, call.arguments().flag("recursive", false));
                            return ToolAnswer.of(
                                    Json.object().put("path", gone.toString()).put("deleted", true));
                        }));
    }

    private ToolAnswer read(JsonMembers arguments) {
        WorkPath path = path(arguments);
        byte[] bytes = workspace.read(path, FILE_BYTES_MAX);
        long start = arguments.number("start_index", 0);
        long length = arguments.number("max_length", READ_LENGTH_DEFAULT);
        ObjectNode json = Json.object().put("path", path.toString()).put("size", bytes.length);
        if (isBase64(arguments)) {
            int from = (int) Math.min(start, bytes.length);
            int until = (int) Math.min(bytes.length, from + length);
            json.put("start", from).put("end", until).put("encoding", "base64");
            json.put("content", Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, from, until)));
            return ToolAnswer.of(json);
        }
        Paging window = Paging.of(text(path, bytes), start, length);
        json.put("start", window.start()).put("end", window.end()).put("content", window.chunk());
        return ToolAnswer.of(window.chunk(), json);
    }

    private ToolAnswer write(JsonMembers arguments) {
        WorkPath path = path(arguments);
        byte[] content = isBase64(arguments)
                ? arguments.bytes("content")
                : arguments.text("content").getBytes(StandardCharsets.UTF_8);
        workspace.write(path, limited(content), true);
        return ToolAnswer.of(Json.object().put("path", path.toString()).put("bytes", content.length));
    }

    private ToolAnswer edit(JsonMembers arguments) {
        WorkPath path = path(arguments);
        String old = arguments.text("old_text");
        String fresh = arguments.text("new_text");
        String text = text(path, workspace.read(path, FILE_BYTES_MAX));
        int count = 0;
        for (int at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length())) {
            count++;
        }
        boolean all = arguments.flag("replace_all", false);
        if (count == 0) {
            throw new ToolFailure("old_text is not in " + path);
        }
        if (count > 1 && !all) {
            throw new ToolFailure("old_text is in " + path + " " + count + " times; give more of it, or replace_all");
        }
        workspace.write(path, limited(text.replace(old, fresh).getBytes(StandardCharsets.UTF_8)), false);
        return ToolAnswer.of(Json.object().put("path", path.toString()).put("replaced", count));
    }

    private ToolAnswer delete(JsonMembers arguments) {
        WorkPath path = path(arguments);
        workspace.deleteFile(path);
        return ToolAnswer.of(Json.object().put("path", path.toString()).put("deleted", true));
    }

    private ToolAnswer list(JsonMembers arguments) {
        WorkPath path = WorkPath.parse(arguments.optionalText("path").orElse(""));
        int depth = (int) arguments.number("depth", 1);
        ObjectNode json = Json.object().put("path", path.toString());
        ArrayNode entries = json.putArray("entries");
        workspace.list(path, depth).forEach(entry -> entries.add(json(entry)));
        return ToolAnswer.of(json);
    }

    private ToolAnswer search(JsonMembers arguments) throws InterruptedException {
        Pattern pattern = HttpTools.pattern(arguments.text("pattern"));
        WorkPath path = WorkPath.parse(arguments.optionalText("path").orElse(""));
        int most = (int) arguments.number("max_matches", 100);
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
        return ToolAnswer.of(json.put("truncated", isCut));
    }

    /// Whether there are more matches than wanted. Files that are gone or no text are passed over.
    private boolean searchFile(WorkspaceFiles.Entry entry, Pattern pattern, int most, ArrayNode matches) {
        String[] lines;
        try {
            WorkPath path = WorkPath.parse(entry.path());
            lines = text(path, workspace.read(path, SEARCHED_FILE_BYTES_MAX)).split("\r?\n", -1);
        } catch (ToolFailure e) {
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

    private static WorkPath path(JsonMembers arguments) {
        return WorkPath.parse(arguments.text("path"));
    }

    private static boolean isBase64(JsonMembers arguments) {
        return arguments.optionalText("encoding").orElse("utf-8").equals("base64");
    }

    private static byte[] limited(byte[] content) {
        if (content.length > FILE_BYTES_MAX) {
            throw new ToolFailure("a file of more than " + FILE_BYTES_MAX + " bytes is not written");
        }
        return content;
    }

    private static String text(WorkPath path, byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ToolFailure(path + " is not UTF-8 text; use encoding=base64");
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
