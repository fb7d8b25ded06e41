package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `POST /exec/{id}`; also the `start` frame of a terminal and the command of `POST /run`.
///
/// @param cwd in the sandbox; absent = `/root`
/// @param timeoutSecs absent = no limit; when it passes the process group is killed and the exit code is 124
/// @param source who asks, for history: api, cli, mcp, run, shell
public record ExecRequest(
        Command command,
        Optional<byte[]> stdin,
        Map<String, String> env,
        Optional<String> cwd,
        Optional<Integer> timeoutSecs,
        Optional<String> source) {

    public ExecRequest {
        env = Map.copyOf(env);
    }

    public sealed interface Command {
        /// The program and its arguments.
        List<String> argv();

        /// The text that history shows.
        String shown();

        /// A line for `/bin/sh -c`.
        record Shell(String line) implements Command {
            @Override
            public List<String> argv() {
                return List.of("/bin/sh", "-c", line);
            }

            @Override
            public String shown() {
                return line;
            }
        }

        /// A program and its arguments, no shell.
        record Argv(List<String> words) implements Command {
            public Argv {
                words = List.copyOf(words);
            }

            @Override
            public List<String> argv() {
                return words;
            }

            @Override
            public String shown() {
                return String.join(" ", words);
            }
        }
    }

    public static ExecRequest shell(String line) {
        return of(new Command.Shell(line));
    }

    public static ExecRequest argv(List<String> words) {
        return of(new Command.Argv(words));
    }

    private static ExecRequest of(Command command) {
        return new ExecRequest(
                command, Optional.empty(), Map.of(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    public ExecRequest withStdin(byte[] bytes) {
        return new ExecRequest(command, Optional.of(bytes), env, cwd, timeoutSecs, source);
    }

    public ExecRequest withCwd(String directory) {
        return new ExecRequest(command, stdin, env, Optional.of(directory), timeoutSecs, source);
    }

    public ExecRequest withSource(String who) {
        return new ExecRequest(command, stdin, env, cwd, timeoutSecs, Optional.of(who));
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        switch (command) {
            case Command.Shell shell -> json.put("command", shell.line());
            case Command.Argv argv -> json.set("argv", ServiceJson.strings(argv.words()));
        }
        stdin.ifPresent(bytes ->
                json.put("stdin", Base64.getEncoder().encodeToString(bytes)).put("stdin_encoding", "base64"));
        if (!env.isEmpty()) {
            json.set("env", ServiceJson.textMap(env));
        }
        cwd.ifPresent(value -> json.put("cwd", value));
        timeoutSecs.ifPresent(value -> json.put("timeout_secs", value));
        source.ifPresent(value -> json.put("source", value));
        return json;
    }

    public static ExecRequest fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ExecRequest(
                command(fields),
                stdin(fields),
                fields.textMap("env"),
                fields.optionalText("cwd"),
                fields.optionalInteger("timeout_secs"),
                fields.optionalText("source"));
    }

    private static Command command(JsonMembers fields) {
        Optional<String> line = fields.optionalText("command");
        List<String> argv = fields.texts("argv");
        if (line.isPresent() == !argv.isEmpty()) {
            throw new JsonShapeException("give exactly one of \"command\" (a string) and \"argv\" (a non-empty array)");
        }
        return line.<Command>map(Command.Shell::new).orElseGet(() -> new Command.Argv(argv));
    }

    private static Optional<byte[]> stdin(JsonMembers fields) {
        String encoding = fields.optionalText("stdin_encoding").orElse("utf-8");
        return fields.optionalText("stdin").map(text -> switch (encoding) {
            case "utf-8" -> text.getBytes(StandardCharsets.UTF_8);
            case "base64" -> decodeBase64(text);
            default -> throw new JsonShapeException("\"stdin_encoding\" must be utf-8 or base64");
        });
    }

    private static byte[] decodeBase64(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new JsonShapeException("\"stdin\" is not base64");
        }
    }
}
