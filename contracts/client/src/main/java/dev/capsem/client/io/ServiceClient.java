package dev.capsem.client.io;

import dev.capsem.client.launch.ServiceLauncher;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.FileEntry;
import dev.capsem.wire.service.ForkReply;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.LogsReply;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.PurgeReply;
import dev.capsem.wire.service.RunRequest;
import dev.capsem.wire.service.SandboxSummary;
import dev.capsem.wire.service.ServiceError;
import dev.capsem.wire.service.StatusReply;
import dev.capsem.wire.service.StopReply;
import dev.capsem.wire.service.SuspendReply;
import dev.capsem.wire.service.TerminalStart;
import dev.capsem.wire.service.VerifyReply;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BiFunction;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A blocking client of capsem-service. Thread-safe: each call has a connection to itself, kept for the next one.
///
/// Every method throws [ServiceCallException] when the service refuses or cannot be reached, and waits as long as the
/// service does.
public final class ServiceClient implements Closeable {
    /// A loaded machine takes its time; a service that died is noticed at once.
    private static final Duration START_WAIT_MAX = Duration.ofSeconds(30);
    private static final Duration START_POLL = Duration.ofMillis(20);
    private static final int IDLE_CONNECTIONS_MAX = 16;
    private static final int OK = 200;
    private static final int CONFLICT = 409;
    private static final int SERVER_ERROR = 500;
    private static final String JSON = "application/json";
    private static final String NDJSON = "application/x-ndjson";

    private final Path socket;
    private final Optional<ServiceLauncher> launcher;
    private final Duration startWait;
    private final ConcurrentLinkedDeque<HttpConnection> idle = new ConcurrentLinkedDeque<>();

    private ServiceClient(Path socket, Optional<ServiceLauncher> launcher, Duration startWait) {
        this.socket = socket;
        this.launcher = launcher;
        this.startWait = startWait;
    }

    /// A client that fails when nobody listens.
    public static ServiceClient connectingTo(Path socket) {
        return new ServiceClient(socket, Optional.empty(), START_WAIT_MAX);
    }

    /// A client that starts the service when nobody listens.
    public static ServiceClient starting(HomeLayout layout, ServiceLauncher launcher) {
        return starting(layout, launcher, START_WAIT_MAX);
    }

    /// @param startWait how long a service may take to come up
    public static ServiceClient starting(HomeLayout layout, ServiceLauncher launcher, Duration startWait) {
        return new ServiceClient(layout.serviceSocket(), Optional.of(launcher), startWait);
    }

    public Path socket() {
        return socket;
    }

    /// True when somebody answers; never starts anything.
    public boolean isServiceRunning() {
        try {
            HttpConnection.open(socket).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public String version() {
        return get("/version").path("version").asString("");
    }

    public StatusReply status() {
        return StatusReply.fromJson(get("/status"));
    }

    public ProvisionReply provision(ProvisionRequest request) {
        return ProvisionReply.fromJson(post("/provision", request.toJson()));
    }

    public List<SandboxSummary> list() {
        List<SandboxSummary> sandboxes = new ArrayList<>();
        get("/list").path("sandboxes").forEach(node -> sandboxes.add(SandboxSummary.fromJson(node)));
        return sandboxes;
    }

    public SandboxSummary sandbox(String id) {
        return SandboxSummary.fromJson(get("/info/" + encode(id)));
    }

    public ExecReply exec(String id, ExecRequest request) {
        return ExecReply.fromJson(post("/exec/" + encode(id), request.toJson()));
    }

    public ExecStream execStreaming(String id, ExecRequest request) {
        return new ExecStream(stream("POST", "/exec/" + encode(id), NDJSON, Json.bytes(request.toJson())));
    }

    /// A streamed command at `/exec/{id}` or `/run`, for callers that have the JSON already.
    public ExecStream commandStreaming(String target, ObjectNode body) {
        return new ExecStream(stream("POST", target, NDJSON, Json.bytes(body)));
    }

    public ExecReply run(RunRequest request) {
        return ExecReply.fromJson(post("/run", request.toJson()));
    }

    public ExecStream runStreaming(RunRequest request) {
        return new ExecStream(stream("POST", "/run", NDJSON, Json.bytes(request.toJson())));
    }

    /// Starts the command with a terminal, or with pipes when `start.tty()` is false.
    public TerminalConnection terminal(String id, TerminalStart start) {
        // Made here: setting up randomness costs a small command as much as the rest of its call.
        var random = new SecureRandom();
        byte[] nonce = new byte[16];
        random.nextBytes(nonce);
        HttpConnection connection = take();
        try {
            Map<String, String> headers = Map.of(
                    "Connection", "Upgrade",
                    "Upgrade", "websocket",
                    "Sec-WebSocket-Version", "13",
                    "Sec-WebSocket-Key", Base64.getEncoder().encodeToString(nonce));
            connection.send("GET", "/exec/" + encode(id) + "/pty", headers, new byte[0]);
            HttpConnection.Reply reply = answer(connection);
            if (reply.status() != 101) {
                throw refused(reply);
            }
            TerminalConnection terminal = new TerminalConnection(connection, random, start.tty());
            terminal.sendText(start.toJson());
            return terminal;
        } catch (IOException e) {
            connection.close();
            throw lost(e);
        } catch (ServiceCallException e) {
            connection.close();
            throw e;
        }
    }

    public byte[] readFile(String id, String path) {
        return call("GET", "/files/" + encode(id) + "/content?path=" + encode(path), "*/*", new byte[0], JSON);
    }

    public void writeFile(String id, String path, byte[] content) {
        call(
                "POST",
                "/files/" + encode(id) + "/content?path=" + encode(path),
                JSON,
                content,
                "application/octet-stream");
    }

    /// @param path "" = the workspace itself
    public List<FileEntry> listFiles(String id, String path, int depth) {
        return FileEntry.listFromJson(get("/files/" + encode(id) + "?path=" + encode(path) + "&depth=" + depth));
    }

    public StopReply stop(String id) {
        return StopReply.fromJson(post("/stop/" + encode(id), Json.object()));
    }

    public SuspendReply suspend(String id) {
        return SuspendReply.fromJson(post("/suspend/" + encode(id), Json.object()));
    }

    public ProvisionReply resume(String name) {
        return ProvisionReply.fromJson(post("/resume/" + encode(name), Json.object()));
    }

    /// Returns the new name, which is the sandbox's id from now on.
    public String persist(String id, String name) {
        return post("/persist/" + encode(id), Json.object().put("name", name))
                .path("name")
                .asString("");
    }

    public ForkReply fork(String id, String name, String description) {
        ObjectNode body = Json.object().put("name", name);
        if (!description.isEmpty()) {
            body.put("description", description);
        }
        return ForkReply.fromJson(post("/fork/" + encode(id), body));
    }

    public void delete(String id) {
        call("DELETE", "/delete/" + encode(id), JSON, new byte[0], JSON);
    }

    public PurgeReply purge(boolean all) {
        return PurgeReply.fromJson(post("/purge", Json.object().put("all", all)));
    }

    public LogsReply logs(String id) {
        return LogsReply.fromJson(get("/logs/" + encode(id)));
    }

    public String serviceLogs() {
        byte[] text = call("GET", "/service-logs", "text/plain", new byte[0], JSON);
        return new String(text, StandardCharsets.UTF_8);
    }

    public HistoryReply history(String id, int limit, int offset, String search, HistoryReply.Shown shown) {
        return HistoryReply.fromJson(get("/history/" + encode(id) + "?limit=" + limit + "&offset=" + offset + "&search="
                + encode(search) + shown.query()));
    }

    /// As the service gives it: global, sessions, top_providers, top_tools, top_mcp_tools.
    public JsonNode stats() {
        return get("/stats");
    }

    public VerifyReply verify(String id) {
        return VerifyReply.fromJson(get("/verify/" + encode(id)));
    }

    /// @param paths only these and what is below them; none for all
    /// @param ignored also files that git ignores
    public DiffReply diff(String id, List<String> paths, boolean ignored) {
        var query = new StringBuilder(ignored ? "?ignored=true" : "");
        paths.forEach(
                path -> query.append(query.isEmpty() ? "?path=" : "&path=").append(encode(path)));
        return DiffReply.fromJson(get("/diff/" + encode(id) + query));
    }

    /// Also when it refused: then the answer says which paths and why.
    public ApplyReply apply(String id, ApplyRequest request) {
        JsonNode answer =
                json(call("POST", "/apply/" + encode(id), JSON, Json.bytes(request.toJson()), JSON, CONFLICT));
        if (!answer.has("refused")) {
            throw new ServiceCallException(CONFLICT, ServiceError.fromJson(answer));
        }
        return ApplyReply.fromJson(answer);
    }

    /// Live events of all sandboxes, as server-sent events: lines `event: <kind>`, `data: <json>`, empty line.
    public LineStream events() {
        return follow("/events");
    }

    /// Ends the service; sandboxes go on and are found again by the next one. Never starts a service.
    public void shutdown() {
        connectingTo(socket).post("/shutdown", Json.object());
    }

    public JsonNode get(String target) {
        return json(call("GET", target, JSON, new byte[0], JSON));
    }

    public JsonNode post(String target, JsonNode body) {
        return json(call("POST", target, JSON, Json.bytes(body), JSON));
    }

    /// @param text UTF-8; also for values that must not stand in a JSON document that somebody may log
    public JsonNode put(String target, byte[] text) {
        return json(call("PUT", target, JSON, text, "text/plain"));
    }

    public JsonNode remove(String target) {
        return json(call("DELETE", target, JSON, new byte[0], JSON));
    }

    /// Server-sent events of this address, see [#events].
    public LineStream follow(String target) {
        return stream("GET", target, "text/event-stream", new byte[0]);
    }

    /// Also when some sandboxes kept their old rules: then the answer says which and why.
    public JsonNode reload() {
        JsonNode answer = json(call("POST", "/reload-config", JSON, new byte[0], JSON, SERVER_ERROR));
        if (!answer.has("success")) {
            throw new ServiceCallException(SERVER_ERROR, ServiceError.fromJson(answer));
        }
        return answer;
    }

    private static JsonNode json(byte[] body) {
        try {
            return Json.parse(body);
        } catch (JsonShapeException e) {
            throw ServiceCallException.unreachable(
                    "the service's answer is " + e.reason(), "are client and service of the same version?");
        }
    }

    private byte[] call(String method, String target, String accept, byte[] body, String contentType) {
        return call(method, target, accept, body, contentType, OK);
    }

    /// @param alsoFine a status whose body is an answer too
    private byte[] call(String method, String target, String accept, byte[] body, String contentType, int alsoFine) {
        HttpConnection connection = take();
        boolean keep = false;
        try {
            connection.send(method, target, Map.of("Accept", accept, "Content-Type", contentType), body);
            HttpConnection.Reply reply = answer(connection);
            if (reply.status() / 100 != 2 && reply.status() != alsoFine) {
                throw refused(reply);
            }
            byte[] answer = reply.body().readAllBytes();
            keep = reply.reusable() && idle.size() < IDLE_CONNECTIONS_MAX;
            return answer;
        } catch (IOException e) {
            throw lost(e);
        } finally {
            if (keep) {
                idle.push(connection);
            } else {
                connection.close();
            }
        }
    }

    /// An answer that may be longer than memory.
    public ByteStream download(String target) {
        return begin("GET", target, "*/*", new byte[0], ByteStream::new);
    }

    private LineStream stream(String method, String target, String accept, byte[] body) {
        return begin(method, target, accept, body, LineStream::new);
    }

    private <T> T begin(
            String method,
            String target,
            String accept,
            byte[] body,
            BiFunction<HttpConnection, InputStream, T> answer) {
        HttpConnection connection = take();
        try {
            connection.send(method, target, Map.of("Accept", accept, "Content-Type", JSON), body);
            HttpConnection.Reply reply = answer(connection);
            if (reply.status() / 100 != 2) {
                throw refused(reply);
            }
            return answer.apply(connection, reply.body());
        } catch (IOException e) {
            connection.close();
            throw lost(e);
        } catch (ServiceCallException e) {
            connection.close();
            throw e;
        }
    }

    /// As long as it takes, but not for ever: somebody must be there.
    private HttpConnection.Reply answer(HttpConnection connection) throws IOException {
        SilenceWatch watch = SilenceWatch.over(connection, socket);
        try (watch) {
            return connection.receive(false);
        } catch (IOException e) {
            if (watch.isSilent()) {
                throw ServiceCallException.unreachable(
                        "the program at " + socket + " takes connections but does not answer",
                        "is it capsem-service? If so, end that process; the next command starts another");
            }
            throw e;
        }
    }

    private static ServiceCallException refused(HttpConnection.Reply reply) throws IOException {
        byte[] body = reply.body().readAllBytes();
        try {
            return new ServiceCallException(reply.status(), ServiceError.fromJson(Json.parse(body)));
        } catch (JsonShapeException e) {
            return new ServiceCallException(
                    reply.status(),
                    new ServiceError(
                            "the service answered " + reply.status() + " and gave no cause",
                            "http_" + reply.status(),
                            "look for the cause: `capsem triage`"));
        }
    }

    private static ServiceCallException lost(IOException e) {
        return ServiceCallException.unreachable(
                "the connection to capsem-service was lost: " + e.getMessage(), "look at `capsem service status`");
    }

    private HttpConnection take() {
        for (HttpConnection kept = idle.poll(); kept != null; kept = idle.poll()) {
            if (!kept.isStale()) {
                return kept;
            }
            kept.close();
        }
        try {
            return HttpConnection.open(socket);
        } catch (IOException e) {
            return start();
        }
    }

    private HttpConnection start() {
        if (launcher.isEmpty()) {
            throw ServiceCallException.unreachable(
                    "capsem-service is not running at " + socket,
                    "start one there: `capsem-service --uds-path " + socket + "`, or leave out --uds-path");
        }
        Process process = launcher.get()
                .start()
                .orElseThrow(() -> ServiceCallException.unreachable(
                        "there is no program " + launcher.get().program(), "build it: `./capsem setup`"));
        long deadline = System.nanoTime() + startWait.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                return HttpConnection.open(socket);
            } catch (IOException e) {
                if (!process.isAlive() && process.exitValue() != 0) {
                    break;
                }
                sleep();
            }
        }
        throw ServiceCallException.unreachable(
                "capsem-service did not come up at " + socket,
                "read " + launcher.get().startLog() + " and service.log beside it");
    }

    private static void sleep() {
        try {
            Thread.sleep(START_POLL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ServiceCallException.unreachable("interrupted while capsem-service was starting", "try again");
        }
    }

    /// For one segment of a path, or a value in a query.
    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public void close() {
        for (HttpConnection kept = idle.poll(); kept != null; kept = idle.poll()) {
            kept.close();
        }
    }
}
