package dev.capsem.sandboxserver.connect;

import static dev.capsem.http.Route.BodyKind.BYTES;
import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.sandboxserver.protocol.Access.EXECUTE;
import static dev.capsem.sandboxserver.protocol.Access.READ;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.exec.Streams;
import dev.capsem.sandboxserver.files.GuestFiles;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.Bodies;
import dev.capsem.sandboxserver.protocol.ConnectFrames;
import dev.capsem.sandboxserver.protocol.Dialect;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Calls of the runtime protocol that the guest's own programs answer: `tar`, `ps`, `kill`.
public final class GuestApi implements GuardedApi {
    private static final int TRANSFER_SECS_MAX = 600;
    private static final int QUESTION_SECS_MAX = 30;
    private static final int SIGNAL_MAX = 64;
    private static final int NOT_THERE = 2;
    private static final int NO_PROGRAM = 127;

    /// tar answers 1 when a file changed while it was read; the archive is whole all the same.
    private static final String ARCHIVE = """
            [ -d "$1" ] || exit 2
            cd -- "$1" || exit 3
            tar -cf - . 2> /dev/null
            [ $? -le 1 ] || exit 4
            """;

    private static final String UPLOAD = """
            mkdir -p -- "$1" && cd -- "$1" || exit 3
            tar -xf - || exit 4
            """;

    private static final String SIGNAL = """
            kill -0 "$2" 2> /dev/null || exit 2
            kill -"$1" "$2"
            """;

    private static final Pattern PROCESS = Pattern.compile(" *(\\d+) +(\\d+) +(\\S)\\S* +(\\d+) +([\\d.]+) +(.*)");

    private final Commands commands;
    private final Streams streams;

    public GuestApi(Commands commands, Streams streams) {
        this.commands = commands;
        this.streams = streams;
    }

    @Override
    public List<GuardedRoute> routes() {
        return List.of(
                READ.to(Route.post(Dialect.CONNECT_PATH + "Archive", BYTES, this::archive)
                                .answers("frames: {data}, {eof}", "Reads a directory as a tar stream."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post(Dialect.CONNECT_PATH + "Upload", BYTES, this::upload)
                                .answers(
                                        "frames: {bytesWritten}",
                                        "Unpacks a tar archive: {open: {dest}}, then {chunk}."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post(Dialect.CONNECT_PATH + "Processes", JSON, this::processes)
                                .answers(
                                        "{processes: [{pid, ppid?, command, state, cpuPercent?, rssBytes?}]}",
                                        "The guest's processes."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post(Dialect.CONNECT_PATH + "Signal", JSON, this::signal)
                                .answers("{}", "Sends {pid, signal}."))
                        .aboutSandbox());
    }

    /// A directory as a tar stream, read while it is sent.
    public HttpAnswer archive(RouteCall call) {
        JsonMembers open = ConnectApi.open(call);
        String direction = open.node("direction").map(JsonNode::asString).orElse("");
        if (direction.equals("UNTAR") || direction.equals("2")) {
            throw new ApiProblem(ApiProblem.Code.INVALID_INPUT, "Archive only reads", "send archives with Upload");
        }
        String id = ConnectApi.sandbox(call);
        String path = GuestFiles.full(open.text("path"));
        ExecRequest request = shell(ARCHIVE, Optional.empty(), TRANSFER_SECS_MAX, path);
        commands.requireStartable(id, request);
        Streams.Place place = streams.take(id);
        return new HttpAnswer.Stream(Dialect.CONNECT_STREAM, sink -> {
            try (place) {
                requireDone(tar(id, request, sink), path);
                sink.write(ConnectFrames.message(Json.object().put("eof", true)));
                sink.write(ConnectFrames.end(Json.object()));
            } catch (ApiProblem e) {
                sink.write(Dialect.end(e));
            } catch (ServiceProblem e) {
                sink.write(Dialect.end(ApiProblem.of(e, ApiProblem.Code.FILE_FAILED)));
            }
        });
    }

    private int tar(String id, ExecRequest request, HttpAnswer.Sink sink) {
        AtomicInteger exit = new AtomicInteger();
        commands.stream(
                id,
                request,
                event -> {
                    switch (event) {
                        case ExecEvent.Stdout out -> sink.write(chunk(out.data()));
                        case ExecEvent.Exited exited -> exit.set(exited.exitCode());
                        case ExecEvent.Started _, ExecEvent.Stderr _, ExecEvent.Failed _ -> {}
                    }
                },
                // Says nothing, but a client that left is noticed by it.
                () -> sink.write(chunk(new byte[0])));
        return exit.get();
    }

    private static byte[] chunk(byte[] data) {
        return ConnectFrames.message(Json.object().put("data", ConnectApi.base64(data)));
    }

    /// Unpacks a tar archive into a directory, which is made.
    public HttpAnswer upload(RouteCall call) {
        List<JsonNode> frames = ConnectApi.frames(call);
        String path = GuestFiles.full(
                JsonMembers.of(frames.getFirst(), "").object("open").text("dest"));
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        frames.stream().skip(1).map(frame -> JsonMembers.of(frame, "")).forEach(frame -> {
            if (frame.has("chunk")) {
                archive.writeBytes(frame.bytes("chunk"));
            }
        });
        ExecRequest request = shell(UPLOAD, Optional.of(archive.toByteArray()), TRANSFER_SECS_MAX, path);
        requireDone(run(call, request).exitCode(), path);
        ObjectNode result = Json.object().put("bytesWritten", Integer.toString(archive.size()));
        return new HttpAnswer.Stream(Dialect.CONNECT_STREAM, sink -> {
            sink.write(ConnectFrames.message(result));
            sink.write(ConnectFrames.end(Json.object()));
        });
    }

    private static void requireDone(int exit, String path) {
        if (exit == NOT_THERE) {
            throw new ApiProblem(
                            ApiProblem.Code.NOT_FOUND,
                            "there is no such directory",
                            "list the one above it: POST /sandbox.v1.Sandbox/List")
                    .with("path", path);
        }
        if (exit != 0) {
            throw new ApiProblem(
                            ApiProblem.Code.FILE_FAILED,
                            "tar in the sandbox failed",
                            "is it an archive, is the disk full, or may the guest not read or write there?")
                    .because("exit code " + exit)
                    .with("path", path);
        }
    }

    public HttpAnswer processes(RouteCall call) {
        ExecReply reply = run(
                call,
                argv(
                        List.of("ps", "-ww", "-eo", "pid=,ppid=,stat=,rss=,pcpu=,args="),
                        Optional.empty(),
                        QUESTION_SECS_MAX));
        if (reply.exitCode() != 0) {
            throw new ApiProblem(
                            ApiProblem.Code.EXEC_FAILED,
                            "the guest's processes cannot be listed",
                            "install procps in the sandbox")
                    .because(
                            reply.exitCode() == NO_PROGRAM
                                    ? "there is no ps"
                                    : reply.stderr().strip());
        }
        ObjectNode json = Json.object();
        ArrayNode processes = json.putArray("processes");
        reply.stdout()
                .lines()
                .map(PROCESS::matcher)
                .filter(Matcher::matches)
                .forEach(line -> processes.add(process(line)));
        return HttpAnswer.json(json);
    }

    /// Numbers of 64 bits are strings in this form of JSON; what is zero is left out.
    private static ObjectNode process(Matcher line) {
        ObjectNode json = Json.object().put("pid", Integer.parseInt(line.group(1)));
        int parent = Integer.parseInt(line.group(2));
        if (parent != 0) {
            json.put("ppid", parent);
        }
        json.put("command", line.group(6)).put("state", line.group(3));
        double share = Double.parseDouble(line.group(5));
        if (share > 0) {
            json.put("cpuPercent", share);
        }
        long resident = Long.parseLong(line.group(4)) * 1_024;
        return resident == 0 ? json : json.put("rssBytes", Long.toString(resident));
    }

    public HttpAnswer signal(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        int pid = body.integer("pid", 0);
        int signal = body.integer("signal", 0);
        if (pid <= 1 || signal < 1 || signal > SIGNAL_MAX) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "pid must be above 1 and signal from 1 to " + SIGNAL_MAX,
                    "Processes lists the pids; to end the sandbox itself: DELETE /v1/sandboxes/{id}");
        }
        ExecReply reply = run(
                call,
                shell(SIGNAL, Optional.empty(), QUESTION_SECS_MAX, Integer.toString(signal), Integer.toString(pid)));
        if (reply.exitCode() != 0) {
            throw new ApiProblem(
                            reply.exitCode() == NOT_THERE ? ApiProblem.Code.NOT_FOUND : ApiProblem.Code.EXEC_FAILED,
                            "the signal could not be sent",
                            "see which processes there are: POST /sandbox.v1.Sandbox/Processes")
                    .because(
                            reply.exitCode() == NOT_THERE
                                    ? "there is no process " + pid
                                    : reply.stderr().strip());
        }
        return HttpAnswer.json(Json.object());
    }

    private ExecReply run(RouteCall call, ExecRequest request) {
        try (Commands.Finished finished = commands.finish(
                ConnectApi.sandbox(call), request, call.request().caller()::requireThere)) {
            return finished.reply();
        }
    }

    private static ExecRequest shell(String script, Optional<byte[]> input, int seconds, String... words) {
        List<String> argv = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
        argv.addAll(List.of(words));
        return argv(argv, input, seconds);
    }

    private static ExecRequest argv(List<String> argv, Optional<byte[]> input, int seconds) {
        return new ExecRequest(
                new ExecRequest.Command.Argv(argv),
                input,
                Map.of(),
                Optional.empty(),
                Optional.of(seconds),
                Optional.of("api"));
    }
}
