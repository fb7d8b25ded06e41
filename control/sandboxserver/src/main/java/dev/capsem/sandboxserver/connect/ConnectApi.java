package dev.capsem.sandboxserver.connect;

import static dev.capsem.http.Route.BodyKind.BYTES;
import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.sandboxserver.protocol.Access.EXECUTE;
import static dev.capsem.sandboxserver.protocol.Access.READ;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.exec.ExecTimeout;
import dev.capsem.sandboxserver.exec.Streams;
import dev.capsem.sandboxserver.files.GuestFiles;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.Bodies;
import dev.capsem.sandboxserver.protocol.ConnectFrames;
import dev.capsem.sandboxserver.protocol.Dialect;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.sandboxserver.protocol.SandboxServerTable;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.files.GuestFile;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecRequest;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `/sandbox.v1.Sandbox/*`. Which sandbox is meant stands in the header `X-Sandbox-Id`.
public final class ConnectApi implements GuardedApi {
    private static final int CHUNK_BYTES = 64 * 1_024;
    private static final int PAGE_SIZE_DEFAULT = 1_000;
    /// Says nothing, but a client that left is noticed by it.
    private static final byte[] ALIVE = ConnectFrames.message(Json.object().put("stdout", ""));

    private final Sandboxes sandboxes;
    private final Commands commands;
    private final GuestFiles files;
    private final Streams streams;

    public ConnectApi(Sandboxes sandboxes, Commands commands, GuestFiles files, Streams streams) {
        this.sandboxes = sandboxes;
        this.commands = commands;
        this.files = files;
        this.streams = streams;
    }

    static String sandbox(RouteCall call) {
        return Bodies.id(call.request().headers().first("X-Sandbox-Id").orElse(""), "the header X-Sandbox-Id");
    }

    @Override
    public List<GuardedRoute> routes() {
        return List.of(
                READ.to(Route.post(Dialect.CONNECT_PATH + "List", JSON, this::list)
                                .answers("{entries, nextPageToken?}", "Lists a directory."))
                        .aboutSandbox(),
                READ.to(Route.post(Dialect.CONNECT_PATH + "Stat", JSON, this::stat)
                                .answers("{name, path, isDir?, size?, mode?, modifiedAtUnix}", "One file."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post(Dialect.CONNECT_PATH + "Mkdir", JSON, this::makeDirectory)
                                .answers("{}", "Makes a directory with its parents."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post(Dialect.CONNECT_PATH + "Remove", JSON, this::remove)
                                .answers("{}", "Removes a file or a directory."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post(Dialect.CONNECT_PATH + "ExecStream", BYTES, this::execStream)
                                .answers(
                                        "frames: {stdout}, {stderr}, {exit: {exitCode, execTimeMs, error?}}",
                                        "Runs a command."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post(Dialect.CONNECT_PATH + "RunCodeStream", BYTES, this::runCodeStream)
                                .answers("frames: {stdout}, {stderr}, {exitCode}", "Runs code of a language."))
                        .aboutSandbox(),
                READ.to(Route.post(Dialect.CONNECT_PATH + "ReadFile", BYTES, this::readFile)
                                .answers("frames: {data}, {eof}", "Reads a file."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post(Dialect.CONNECT_PATH + "WriteFile", BYTES, this::writeFile)
                                .answers("frames: {bytesWritten}", "Writes a file: {open: {path, mode}}, then {data}."))
                        .aboutSandbox(),
                EXECUTE.to(Route.get(Dialect.CONNECT_PATH + "Exec", this::terminal)
                                .answers("WebSocket", "A terminal in ?sandbox=; subprotocol connect.sandbox.v1."))
                        .aboutSandbox());
    }

    public HttpAnswer list(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        List<GuestFile> all = files.list(
                sandbox(call),
                body.optionalText("parent").filter(text -> !text.isEmpty()).orElse("/root"));
        if (body.optionalText("filter").filter(text -> !text.isEmpty()).isPresent()) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT, "filter is not supported", "filter the entries yourself");
        }
        int from = offset(body.optionalText("pageToken").orElse(""));
        int wished = body.integer("pageSize", 0);
        int to = Math.min(all.size(), from + (wished > 0 ? wished : PAGE_SIZE_DEFAULT));
        ObjectNode json = Json.object();
        ArrayNode entries = json.putArray("entries");
        all.subList(Math.min(from, to), to).forEach(facts -> entries.add(json(facts)));
        return HttpAnswer.json(to < all.size() ? json.put("nextPageToken", Integer.toString(to)) : json);
    }

    private static int offset(String token) {
        try {
            int offset = token.isEmpty() ? 0 : Integer.parseInt(token);
            if (offset >= 0) {
                return offset;
            }
        } catch (NumberFormatException e) {
            // Answered below, like a negative one.
        }
        throw new JsonShapeException("pageToken must be one that an earlier answer gave");
    }

    /// Numbers of 64 bits are strings in this form of JSON; what is zero or false is left out.
    private static ObjectNode json(GuestFile facts) {
        ObjectNode json = Json.object().put("name", facts.name()).put("path", facts.path());
        if (facts.isDirectory()) {
            json.put("isDir", true);
        }
        if (facts.size() != 0) {
            json.put("size", Long.toString(facts.size()));
        }
        if (facts.mode() != 0) {
            json.put("mode", facts.mode());
        }
        return json.put("modifiedAtUnix", Long.toString(facts.mtime()));
    }

    public HttpAnswer stat(RouteCall call) {
        return HttpAnswer.json(json(files.stat(sandbox(call), Bodies.of(call).text("path"))));
    }

    public HttpAnswer makeDirectory(RouteCall call) {
        files.makeDirectory(sandbox(call), Bodies.of(call).text("path"));
        return HttpAnswer.json(Json.object());
    }

    public HttpAnswer remove(RouteCall call) {
        String id = sandbox(call);
        String path = Bodies.of(call).text("path");
        if (!Bodies.of(call).flag("recursive", false)
                && files.stat(id, path).isDirectory()
                && !files.list(id, path).isEmpty()) {
            throw ApiProblem.conflict("the directory is not empty", "set recursive to remove it with what is in it");
        }
        files.remove(id, path);
        return HttpAnswer.json(Json.object());
    }

    public HttpAnswer readFile(RouteCall call) {
        byte[] content = files.read(sandbox(call), open(call).text("path"));
        return new HttpAnswer.Stream(Dialect.CONNECT_STREAM, sink -> {
            for (int from = 0; from < content.length; from += CHUNK_BYTES) {
                byte[] chunk = Arrays.copyOfRange(content, from, Math.min(content.length, from + CHUNK_BYTES));
                sink.write(ConnectFrames.message(Json.object().put("data", base64(chunk))));
            }
            sink.write(ConnectFrames.message(Json.object().put("eof", true)));
            sink.write(ConnectFrames.end(Json.object()));
        });
    }

    public HttpAnswer writeFile(RouteCall call) {
        List<JsonNode> frames = frames(call);
        JsonMembers open = JsonMembers.of(frames.getFirst(), "").object("open");
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        frames.stream().skip(1).map(frame -> JsonMembers.of(frame, "")).forEach(frame -> {
            if (frame.has("data")) {
                content.writeBytes(frame.bytes("data"));
            }
        });
        Optional<Integer> mode = open.optionalInteger("mode").filter(bits -> bits != 0);
        files.write(sandbox(call), open.text("path"), content.toByteArray(), mode);
        ObjectNode result = Json.object().put("bytesWritten", Integer.toString(content.size()));
        return new HttpAnswer.Stream(Dialect.CONNECT_STREAM, sink -> {
            sink.write(ConnectFrames.message(result));
            sink.write(ConnectFrames.end(Json.object()));
        });
    }

    public HttpAnswer execStream(RouteCall call) {
        return run(call, ExecOpen.command(open(call)), exited -> {
            ObjectNode exit = Json.object().put("exitCode", exited.exitCode()).put("execTimeMs", exited.durationMs());
            exited.message().ifPresent(message -> exit.put("error", message));
            ObjectNode json = Json.object();
            json.set("exit", exit);
            return json;
        });
    }

    public HttpAnswer runCodeStream(RouteCall call) {
        JsonMembers open = open(call);
        List<String> interpreter = switch (open.optionalText("language").orElse("python")) {
            case "", "python", "python3" -> List.of("python3", "-c");
            case "javascript", "js", "node" -> List.of("node", "-e");
            case "bash" -> List.of("bash", "-c");
            case "sh", "shell" -> List.of("/bin/sh", "-c");
            default ->
                throw new ApiProblem(
                        ApiProblem.Code.INVALID_INPUT,
                        "this language is not known here",
                        "use python, javascript, bash or sh, or run its interpreter with ExecStream");
        };
        ExecRequest request = ExecOpen.request(
                open,
                new ExecRequest.Command.Argv(List.of(interpreter.getFirst(), interpreter.getLast(), open.text("code"))),
                Optional.of(ExecTimeout.of(open.optionalNumber("timeoutSeconds"))));
        return run(call, request, exited -> Json.object().put("exitCode", exited.exitCode()));
    }

    private HttpAnswer run(RouteCall call, ExecRequest request, Function<ExecEvent.Exited, ObjectNode> last) {
        String id = sandbox(call);
        commands.requireStartable(id, request);
        Streams.Place place = streams.take(id);
        return new HttpAnswer.Stream(Dialect.CONNECT_STREAM, sink -> {
            try (place) {
                commands.stream(
                        id,
                        request,
                        event -> json(event, last).ifPresent(json -> sink.write(ConnectFrames.message(json))),
                        () -> sink.write(ALIVE));
                sink.write(ConnectFrames.end(Json.object()));
            } catch (ServiceProblem e) {
                sink.write(Dialect.end(ApiProblem.of(e, ApiProblem.Code.EXEC_FAILED)));
            }
        });
    }

    private static Optional<ObjectNode> json(ExecEvent event, Function<ExecEvent.Exited, ObjectNode> last) {
        return switch (event) {
            case ExecEvent.Stdout out -> Optional.of(Json.object().put("stdout", base64(out.data())));
            case ExecEvent.Stderr err -> Optional.of(Json.object().put("stderr", base64(err.data())));
            case ExecEvent.Exited exited -> Optional.of(last.apply(exited));
            case ExecEvent.Started _, ExecEvent.Failed _ -> Optional.empty();
        };
    }

    /// The terminal; the connection becomes a WebSocket.
    public HttpAnswer terminal(RouteCall call) {
        String id = Bodies.id(call.query("sandbox").orElse(""), "sandbox");
        sandboxes.running(id);
        return new HttpAnswer.Upgrade(Optional.of(ConnectSocket.PROTOCOL), new ConnectSocket(id, commands));
    }

    static JsonMembers open(RouteCall call) {
        return JsonMembers.of(frames(call).getFirst(), "");
    }

    static List<JsonNode> frames(RouteCall call) {
        boolean isFramed = call.request()
                .contentType()
                .filter(type -> type.startsWith(Dialect.CONNECT_STREAM))
                .isPresent();
        if (!isFramed) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "this call is a stream of JSON frames",
                    "send Content-Type: " + Dialect.CONNECT_STREAM);
        }
        List<JsonNode> frames = ConnectFrames.read(call.request().body().read(SandboxServerTable.JSON_BYTES_MAX));
        if (frames.isEmpty()) {
            throw new JsonShapeException("the body holds no frame");
        }
        return frames;
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
