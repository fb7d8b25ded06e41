package dev.capsem.sandboxmcp.tools;

import dev.capsem.sandboxmcp.tools.SandboxServerClient.Request;
import dev.capsem.toolserver.FileText;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ExecEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The requests of the tools to the sandbox server.
final class SandboxCalls {
    private static final Duration WAIT = Duration.ofSeconds(60);
    /// A server may have to boot something.
    private static final Duration FORK_WAIT = Duration.ofSeconds(130);
    private static final Duration EXEC_GRACE = Duration.ofSeconds(30);
    private static final Duration EXEC_WAIT_MAX = Duration.ofDays(1);
    /// Cleaning up goes on when the caller has left, but not for ever.
    private static final Duration CLEAN_UP_WAIT = Duration.ofSeconds(20);

    private final SandboxServerClient server;
    private final RandomGenerator random;

    /// @param random cryptographically strong: an id must not be guessed
    SandboxCalls(SandboxServerClient server, RandomGenerator random) {
        this.server = server;
        this.random = random;
    }

    String create(String pool) throws InterruptedException {
        String id = newId();
        return made(
                server.send(new Request(
                        "POST",
                        "/v1/fork",
                        Optional.of(Json.object().put("template", pool).put("id", id)),
                        Optional.of(hex()),
                        FORK_WAIT)),
                id);
    }

    ExecOutcome exec(String sandbox, String command, int seconds, Consumer<String> news) throws InterruptedException {
        ObjectNode body = Json.object().put("sandbox", sandbox).put("command", command);
        if (seconds > 0) {
            body.put("timeout", seconds);
        }
        Duration wait = seconds > 0 ? Duration.ofSeconds(seconds).plus(EXEC_GRACE) : EXEC_WAIT_MAX;
        try {
            return streamed(body, wait, news);
        } catch (ServerRefusal e) {
            if (!e.isUnknownRoute()) {
                throw e;
            }
            return whole(server.send(post("/v1/exec", body, wait)));
        }
    }

    private ExecOutcome streamed(ObjectNode body, Duration wait, Consumer<String> news) throws InterruptedException {
        var stdout = new KeptStream();
        var stderr = new KeptStream();
        var end = new ArrayList<ExecEvent.Exited>(1);
        server.stream(post("/v1/exec/stream", body, wait), line -> {
            if (line.path("error").isObject()) {
                throw ServerRefusal.of("POST /v1/exec/stream", 200, "", Optional.of(line));
            }
            switch (ExecEvent.fromJson(line).orElse(new ExecEvent.Started("", 0, List.of()))) {
                case ExecEvent.Started _ -> {}
                case ExecEvent.Stdout(byte[] data) -> {
                    stdout.add(data);
                    news.accept(new String(data, StandardCharsets.UTF_8));
                }
                case ExecEvent.Stderr(byte[] data) -> {
                    stderr.add(data);
                    news.accept(new String(data, StandardCharsets.UTF_8));
                }
                case ExecEvent.Exited exited -> end.add(exited);
                case ExecEvent.Failed failed ->
                    throw new ToolFailure(
                            failed.error().code(),
                            failed.error().error(),
                            failed.error().remedy());
            }
        });
        if (end.isEmpty()) {
            throw ServerRefusal.unreachable(
                    "the sandbox server's answer was cut short", "the command may have been killed; try again");
        }
        return new ExecOutcome(
                end.getFirst().exitCode(),
                stdout.text(),
                stderr.text(),
                end.getFirst().timedOut());
    }

    private static ExecOutcome whole(JsonNode answer) {
        JsonMembers members = JsonMembers.of(answer, "");
        var stdout = new KeptStream();
        var stderr = new KeptStream();
        stdout.add(members.optionalText("stdout").orElse("").getBytes(StandardCharsets.UTF_8));
        stderr.add(members.optionalText("stderr").orElse("").getBytes(StandardCharsets.UTF_8));
        return new ExecOutcome(members.integer("exit_code"), stdout.text(), stderr.text(), false);
    }

    byte[] read(String sandbox, String path) throws InterruptedException {
        JsonMembers answer = JsonMembers.of(
                server.send(post(
                        "/v1/files/read", Json.object().put("sandbox", sandbox).put("path", path), WAIT)),
                "");
        boolean isBase64 = answer.optionalText("encoding").orElse("").equals("base64");
        return new FileText(answer.optionalText("content").orElse(""), isBase64)
                .bytes()
                .orElseThrow(() -> new JsonShapeException("content must be base64"));
    }

    void write(String sandbox, String path, FileText file) throws InterruptedException {
        ObjectNode body = Json.object().put("sandbox", sandbox).put("path", path);
        server.send(post("/v1/files/write", file.putInto(body), WAIT));
    }

    void terminate(String sandbox) throws InterruptedException {
        server.send(new Request("DELETE", "/v1/sandboxes/" + sandbox, Optional.empty(), Optional.empty(), WAIT));
    }

    JsonNode list() throws InterruptedException {
        return server.send(new Request("GET", "/v1/sandboxes", Optional.empty(), Optional.empty(), WAIT));
    }

    /// All copies, or none: what was made before a failure is taken back.
    List<String> fork(String source, int replicas, Consumer<String> news) throws InterruptedException {
        List<String> made = new ArrayList<>();
        boolean isLive = true;
        try {
            for (int i = 0; i < replicas; i++) {
                String id = newId();
                try {
                    made.add(forkOne(source, id, isLive));
                } catch (ServerRefusal e) {
                    if (i > 0 || !isLive || !e.isUnknownRoute()) {
                        throw e;
                    }
                    // A server without forks of running sandboxes.
                    isLive = false;
                    made.add(forkOne(source, id, false));
                }
                news.accept("forked " + made.size() + " of " + replicas + "\n");
            }
            return made;
        } catch (ServerRefusal e) {
            throw made.isEmpty() ? e : partial(e, made.size(), takeBack(made));
        } catch (InterruptedException e) {
            takeBack(made);
            throw e;
        }
    }

    private String forkOne(String source, String id, boolean isLive) throws InterruptedException {
        ObjectNode body = isLive
                ? Json.object().put("id", id).put("pause_source", true)
                : Json.object().put("template", source).put("id", id);
        String path = isLive ? "/v1/sandboxes/" + source + "/fork" : "/v1/fork";
        return made(server.send(new Request("POST", path, Optional.of(body), Optional.of(hex()), FORK_WAIT)), id);
    }

    private static ToolFailure partial(ServerRefusal e, int made, List<String> left) {
        String cause = "the sandbox_fork operation failed after " + made + " copies: " + e.reason();
        return left.isEmpty()
                ? new ToolFailure(
                        e.code(),
                        cause + "; those copies were terminated again",
                        e.remediation().isEmpty() ? "try again, or with fewer replicas" : e.remediation())
                : new ToolFailure(
                        e.code(),
                        cause + "; these copies are left: " + String.join(", ", left),
                        "terminate each of them with sandbox_terminate, then try again");
    }

    /// Those that could not be taken back. On a thread of its own, because ours may be interrupted.
    private List<String> takeBack(List<String> ids) throws InterruptedException {
        List<String> left = new ArrayList<>();
        Thread cleaner = Thread.ofVirtual().name("take-back").start(() -> {
            for (String id : ids) {
                try {
                    terminate(id);
                } catch (ServerRefusal e) {
                    left.add(id);
                } catch (InterruptedException e) {
                    left.add(id);
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        });
        boolean isInterrupted = Thread.interrupted();
        boolean isDone = cleaner.join(CLEAN_UP_WAIT);
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return isDone ? left : ids;
    }

    private static Request post(String path, ObjectNode body, Duration wait) {
        return new Request("POST", path, Optional.of(body), Optional.empty(), wait);
    }

    /// The server's word counts; an older one says nothing and takes ours.
    private static String made(JsonNode answer, String ours) {
        String id = answer.path("id").asString("");
        return id.isEmpty() ? ours : id;
    }

    private String newId() {
        return "sbx-" + hex();
    }

    private String hex() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
