package dev.capsem.client.io;

import dev.capsem.client.ApprovalFeed;
import dev.capsem.client.LiveFeed;
import dev.capsem.client.SandboxService;
import dev.capsem.client.launch.ServiceLauncher;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ExecEvent;
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
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
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
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A blocking client of capsem-service. Thread-safe: each call has a connection to itself, kept for the next one.
///
/// Every method throws [ServiceCallException] when the service refuses or cannot be reached, and waits as long as the
/// service does.
public final class ServiceClient implements SandboxService, Closeable {
    /// A loaded machine takes its time; a service that died is noticed at once.
    private static final Duration START_WAIT_MAX = Duration.ofSeconds(30);
    private static final int CONFLICT = 409;
    private static final int SERVER_ERROR = 500;
    private static final String JSON = "application/json";
    private static final String NDJSON = "application/x-ndjson";

    private final ServiceTransport transport;

    private ServiceClient(ServiceTransport transport) {
        this.transport = transport;
    }

    /// A client that fails when nobody listens.
    public static ServiceClient connectingTo(Path socket) {
        return new ServiceClient(new ServiceTransport(socket, Optional.empty(), START_WAIT_MAX));
    }

    /// A client that starts the service when nobody listens.
    public static ServiceClient starting(HomeLayout layout, ServiceLauncher launcher) {
        return starting(layout, launcher, START_WAIT_MAX);
    }

    /// @param startWait how long a service may take to come up
    public static ServiceClient starting(HomeLayout layout, ServiceLauncher launcher, Duration startWait) {
        return new ServiceClient(new ServiceTransport(layout.serviceSocket(), Optional.of(launcher), startWait));
    }

    public Path socket() {
        return transport.socket();
    }

    @Override
    public boolean isRunning() {
        return transport.isAnswered();
    }

    public String version() {
        return get("/version").path("version").asString("");
    }

    @Override
    public StatusReply status() {
        return StatusReply.fromJson(get("/status"));
    }

    @Override
    public ProvisionReply provision(ProvisionRequest request) {
        return ProvisionReply.fromJson(post("/provision", request.toJson()));
    }

    @Override
    public List<SandboxSummary> list() {
        List<SandboxSummary> sandboxes = new ArrayList<>();
        get("/list").path("sandboxes").forEach(node -> sandboxes.add(SandboxSummary.fromJson(node)));
        return sandboxes;
    }

    @Override
    public SandboxSummary sandbox(String id) {
        return SandboxSummary.fromJson(get("/info/" + encode(id)));
    }

    @Override
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
    @Override
    public TerminalConnection start(String id, TerminalStart start) {
        // Made here: setting up randomness costs a small command as much as the rest of its call.
        var random = new SecureRandom();
        byte[] nonce = new byte[16];
        random.nextBytes(nonce);
        Map<String, String> headers = Map.of(
                "Connection", "Upgrade",
                "Upgrade", "websocket",
                "Sec-WebSocket-Version", "13",
                "Sec-WebSocket-Key", Base64.getEncoder().encodeToString(nonce));
        HttpConnection connection = transport.upgrade("/exec/" + encode(id) + "/pty", headers);
        TerminalConnection terminal = new TerminalConnection(connection, random, start.tty());
        try {
            terminal.sendText(start.toJson());
            return terminal;
        } catch (ServiceCallException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public byte[] readFile(String id, String path) {
        return transport.call(
                "GET", "/files/" + encode(id) + "/content?path=" + encode(path), "*/*", new byte[0], JSON);
    }

    @Override
    public void writeFile(String id, String path, byte[] content) {
        transport.call(
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

    @Override
    public StopReply stop(String id) {
        return StopReply.fromJson(post("/stop/" + encode(id), Json.object()));
    }

    @Override
    public SuspendReply suspend(String id) {
        return SuspendReply.fromJson(post("/suspend/" + encode(id), Json.object()));
    }

    @Override
    public ProvisionReply resume(String name) {
        return ProvisionReply.fromJson(post("/resume/" + encode(name), Json.object()));
    }

    /// Returns the new name, which is the sandbox's id from now on.
    @Override
    public String persist(String id, String name) {
        return post("/persist/" + encode(id), Json.object().put("name", name))
                .path("name")
                .asString("");
    }

    @Override
    public ForkReply fork(String id, String name, String description) {
        ObjectNode body = Json.object().put("name", name);
        if (!description.isEmpty()) {
            body.put("description", description);
        }
        return ForkReply.fromJson(post("/fork/" + encode(id), body));
    }

    @Override
    public void delete(String id) {
        transport.call("DELETE", "/delete/" + encode(id), JSON, new byte[0], JSON);
    }

    @Override
    public PurgeReply purge(boolean all) {
        return PurgeReply.fromJson(post("/purge", Json.object().put("all", all)));
    }

    @Override
    public LogsReply logs(String id) {
        return LogsReply.fromJson(get("/logs/" + encode(id)));
    }

    @Override
    public String serviceLogs() {
        byte[] text = transport.call("GET", "/service-logs", "text/plain", new byte[0], JSON);
        return new String(text, StandardCharsets.UTF_8);
    }

    @Override
    public HistoryReply history(String id, int limit, int offset, String search, HistoryReply.Shown shown) {
        return HistoryReply.fromJson(get("/history/" + encode(id) + "?limit=" + limit + "&offset=" + offset + "&search="
                + encode(search) + shown.query()));
    }

    /// As the service gives it: global, sessions, top_providers, top_tools, top_mcp_tools.
    @Override
    public JsonNode stats() {
        return get("/stats");
    }

    @Override
    public VerifyReply verify(String id) {
        return VerifyReply.fromJson(get("/verify/" + encode(id)));
    }

    /// @param paths only these and what is below them; none for all
    /// @param ignored also files that git ignores
    @Override
    public DiffReply diff(String id, List<String> paths, boolean ignored) {
        var query = new StringBuilder(ignored ? "?ignored=true" : "");
        paths.forEach(
                path -> query.append(query.isEmpty() ? "?path=" : "&path=").append(encode(path)));
        return DiffReply.fromJson(get("/diff/" + encode(id) + query));
    }

    /// Also when it refused: then the answer says which paths and why.
    @Override
    public ApplyReply apply(String id, ApplyRequest request) {
        JsonNode answer = json(
                transport.call("POST", "/apply/" + encode(id), JSON, Json.bytes(request.toJson()), JSON, CONFLICT));
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
    @Override
    public void shutdown() {
        connectingTo(socket()).post("/shutdown", Json.object());
    }

    @Override
    public JsonNode get(String target) {
        return json(transport.call("GET", target, JSON, new byte[0], JSON));
    }

    @Override
    public JsonNode post(String target, JsonNode body) {
        return json(transport.call("POST", target, JSON, Json.bytes(body), JSON));
    }

    /// @param text UTF-8; also for values that must not stand in a JSON document that somebody may log
    @Override
    public JsonNode put(String target, byte[] text) {
        return json(transport.call("PUT", target, JSON, text, "text/plain"));
    }

    @Override
    public JsonNode remove(String target) {
        return json(transport.call("DELETE", target, JSON, new byte[0], JSON));
    }

    /// Server-sent events of this address, see [#events].
    public LineStream follow(String target) {
        return stream("GET", target, "text/event-stream", new byte[0]);
    }

    @Override
    public LiveFeed live(String id) {
        return new LiveStream(follow("/events?sandbox=" + encode(id)));
    }

    @Override
    public ApprovalFeed approvals() {
        return new ApprovalEventStream(follow("/confirm/stream"));
    }

    @Override
    public ApprovalFeed approvals(String sandbox, boolean answers) {
        return new ApprovalEventStream(
                follow("/confirm/stream?sandbox=" + encode(sandbox) + (answers ? "" : "&answers=false")));
    }

    @Override
    public String text(String target) {
        try (ByteStream answer = download(target)) {
            var bytes = new ByteArrayOutputStream();
            answer.writeTo(bytes);
            return bytes.toString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw cut();
        }
    }

    @Override
    public void command(String target, ExecRequest request, Consumer<ExecEvent> events) {
        try (ExecStream stream = commandStreaming(target, request.toJson())) {
            while (true) {
                ExecEvent event = stream.next().orElseThrow(ServiceClient::cut);
                events.accept(event);
                if (event instanceof ExecEvent.Exited || event instanceof ExecEvent.Failed) {
                    return;
                }
            }
        }
    }

    private static ServiceCallException cut() {
        return ServiceCallException.unreachable(
                "the service's answer was cut short", "try again; the service is started if it died");
    }

    /// Also when some sandboxes kept their old rules: then the answer says which and why.
    @Override
    public JsonNode reload() {
        JsonNode answer = json(transport.call("POST", "/reload-config", JSON, new byte[0], JSON, SERVER_ERROR));
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

    /// An answer that may be longer than memory.
    @Override
    public ByteStream download(String target) {
        return transport.begin("GET", target, "*/*", new byte[0], ByteStream::new);
    }

    private LineStream stream(String method, String target, String accept, byte[] body) {
        return transport.begin(method, target, accept, body, LineStream::new);
    }

    /// For one segment of a path, or a value in a query.
    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public void close() {
        transport.close();
    }
}
