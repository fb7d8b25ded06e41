package dev.capsem.testkit.service;

import dev.capsem.client.ApprovalFeed;
import dev.capsem.client.GuestCommand;
import dev.capsem.client.GuestCommand.Event;
import dev.capsem.client.LiveFeed;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ForkReply;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.LogsReply;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.PurgeReply;
import dev.capsem.wire.service.SandboxSummary;
import dev.capsem.wire.service.ServiceError;
import dev.capsem.wire.service.StatusReply;
import dev.capsem.wire.service.StopReply;
import dev.capsem.wire.service.SuspendReply;
import dev.capsem.wire.service.TerminalControl;
import dev.capsem.wire.service.TerminalStart;
import dev.capsem.wire.service.VerifyReply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/// A service that answers what a test told it to and remembers what it was asked. One sandbox, `lab`, always runs.
public final class FakeService implements SandboxService {
    public final List<String> calls = new CopyOnWriteArrayList<>();
    public final List<SandboxSummary> sandboxes = new ArrayList<>();
    public final Map<String, byte[]> files = new HashMap<>();
    public final Deque<Event> events = new ArrayDeque<>();
    public final ByteArrayOutputStream input = new ByteArrayOutputStream();
    public final CountDownLatch inputEnded = new CountDownLatch(1);
    /// Answers of routes without a method of their own, by `METHOD target`.
    public final Map<String, String> answers = new ConcurrentHashMap<>();

    /// One answer for all of them, if it does not matter which.
    public Optional<JsonNode> everyAnswer = Optional.empty();

    /// One line for each request to them, for a file or for a command: method, target, body.
    public final List<String> asked = new CopyOnWriteArrayList<>();

    public List<ExecEvent> execEvents = List.of();

    /// What was sent to them.
    public final List<JsonNode> bodies = new CopyOnWriteArrayList<>();

    /// Whose questions were asked for.
    public final List<String> feeds = new CopyOnWriteArrayList<>();

    public List<String> feedsAtStart = List.of();

    /// What the stream of questions says next; empty ends it.
    public final BlockingQueue<Optional<ApprovalFeed.Change>> changes = new LinkedBlockingQueue<>();

    /// What happens in a sandbox, until there is no more.
    public final Deque<LiveFeed.Happening> happenings = new ArrayDeque<>();

    public boolean running = true;
    public List<String> warnings = List.of();
    public Optional<ServiceCallException> refusal = Optional.empty();
    public boolean waitsForInputEnd;
    public DiffReply diff = new DiffReply("/home/me/app", List.of(), "", false);
    public ApplyReply applied = new ApplyReply(List.of(), List.of(), List.of(), List.of());
    public HistoryReply.Shown historyShown = HistoryReply.Shown.COMMANDS;
    public HistoryReply history = new HistoryReply(List.of(), 0, false);
    public VerifyReply verified = new VerifyReply(true, 12, 0, Map.of(), Optional.empty());
    public LogsReply logs = new LogsReply("", "", "");
    public JsonNode stats = Json.object();
    public Function<ExecRequest, ExecReply> exec = request -> reply(0, "", "");
    public Optional<ProvisionRequest> provisioned = Optional.empty();
    public Optional<TerminalStart> started = Optional.empty();
    public StatusReply status = new StatusReply(
            "0.1.0",
            4711,
            3_725,
            "/home/me/.capsem",
            "bwrap",
            Map.of("suspend", "freeze", "memory_limit", "cgroup"),
            List.of(),
            Map.of("Running", 2L),
            32,
            new StatusReply.Spare(1, 1),
            0,
            0);

    public static ExecReply reply(int exitCode, String stdout, String stderr) {
        return new ExecReply(
                stdout,
                stderr,
                exitCode,
                5,
                stdout.length(),
                stderr.length(),
                false,
                false,
                Optional.empty(),
                List.of());
    }

    /// One that is there, and nothing else is known of.
    public static SandboxSummary sandbox(String id, String status) {
        return SandboxSummary.fromJson(Json.object().put("id", id).put("status", status));
    }

    public static ServiceCallException notFound(String id) {
        return new ServiceCallException(
                404, new ServiceError("sandbox not found: " + id, "sandbox_not_found", "see `capsem list`"));
    }

    public FakeService output(int stream, String text) {
        events.add(new Event.Output(stream, text.getBytes(StandardCharsets.UTF_8)));
        return this;
    }

    public FakeService exits(int code) {
        events.add(new Event.Exited(code, Optional.empty()));
        return this;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public void shutdown() {
        calls.add("shutdown");
        running = false;
    }

    @Override
    public StatusReply status() {
        running = true;
        return status;
    }

    @Override
    public ProvisionReply provision(ProvisionRequest request) {
        if (refusal.isPresent()) {
            throw refusal.get();
        }
        provisioned = Optional.of(request);
        String id = request.name().orElse("brave-otter-tmp");
        calls.add("provision " + id);
        return new ProvisionReply(id, "/run/x.sock", "warm", request.profileId(), warnings);
    }

    @Override
    public List<SandboxSummary> list() {
        return sandboxes;
    }

    @Override
    public SandboxSummary sandbox(String id) {
        return sandboxes.stream()
                .filter(sandbox -> sandbox.id().equals(id))
                .findFirst()
                .or(() -> id.equals("lab") ? Optional.of(sandbox("lab", "Running")) : Optional.empty())
                .orElseThrow(() -> notFound(id));
    }

    @Override
    public ExecReply exec(String id, ExecRequest request) {
        return exec.apply(request);
    }

    @Override
    public GuestCommand start(String id, TerminalStart start) {
        started = Optional.of(start);
        calls.add("start " + id);
        feedsAtStart = List.copyOf(feeds);
        return new Scripted();
    }

    @Override
    public byte[] readFile(String id, String path) {
        Optional<byte[]> none = noted("READ " + id + " " + path).map(_ -> new byte[0]);
        byte[] content = files.get(id + ":" + path);
        if (content == null) {
            content = none.orElse(null);
        }
        if (content == null) {
            throw new ServiceCallException(404, new ServiceError("no file " + path, "file_not_found", "list them"));
        }
        return content;
    }

    @Override
    public void writeFile(String id, String path, byte[] content) {
        noted("WRITE " + id + " " + path + " " + new String(content, StandardCharsets.UTF_8));
        files.put(id + ":" + path, content);
    }

    @Override
    public StopReply stop(String id) {
        calls.add("stop " + id);
        return new StopReply(!id.endsWith("-tmp"));
    }

    @Override
    public SuspendReply suspend(String id) {
        calls.add("suspend " + id);
        return new SuspendReply("freeze");
    }

    @Override
    public ProvisionReply resume(String name) {
        calls.add("resume " + name);
        return new ProvisionReply(name, "/run/x.sock", "thaw", Optional.empty(), warnings);
    }

    @Override
    public String persist(String id, String name) {
        calls.add("persist " + id + " " + name);
        return name;
    }

    @Override
    public ForkReply fork(String id, String name, String description) {
        calls.add("fork " + id + " " + name);
        return new ForkReply(name, 2_621_440);
    }

    @Override
    public void delete(String id) {
        calls.add("delete " + id);
    }

    @Override
    public PurgeReply purge(boolean all) {
        calls.add(all ? "purge all" : "purge");
        return new PurgeReply(all ? 1 : 0, 2);
    }

    @Override
    public LogsReply logs(String id) {
        return logs;
    }

    @Override
    public String serviceLogs() {
        return logs.processLogs();
    }

    @Override
    public HistoryReply history(String id, int limit, int offset, String search, HistoryReply.Shown shown) {
        historyShown = shown;
        return history;
    }

    @Override
    public JsonNode stats() {
        return stats;
    }

    @Override
    public VerifyReply verify(String id) {
        return verified;
    }

    @Override
    public DiffReply diff(String id, List<String> paths, boolean ignored) {
        return diff;
    }

    @Override
    public ApplyReply apply(String id, ApplyRequest request) {
        calls.add("apply " + id + " " + request.paths() + (request.force() ? " force" : "")
                + request.as().map(digest -> " as " + digest).orElse(""));
        return applied;
    }

    @Override
    public JsonNode get(String target) {
        return noted("GET " + target).orElseGet(() -> answer("GET " + target));
    }

    @Override
    public JsonNode post(String target, JsonNode body) {
        if (refusal.isPresent()) {
            throw refusal.get();
        }
        bodies.add(body);
        return noted("POST " + target + " " + Json.text(body)).orElseGet(() -> answer("POST " + target));
    }

    @Override
    public JsonNode put(String target, byte[] text) {
        bodies.add(Json.array().add(new String(text, StandardCharsets.UTF_8)).get(0));
        return answer("PUT " + target);
    }

    @Override
    public JsonNode remove(String target) {
        return noted("DELETE " + target).orElseGet(() -> answer("DELETE " + target));
    }

    @Override
    public Download download(String target) {
        calls.add("GET " + target);
        byte[] body = Optional.ofNullable(answers.get("GET " + target))
                .orElseThrow(() -> notFound(target))
                .getBytes(StandardCharsets.UTF_8);
        return new Download() {
            @Override
            public long writeTo(OutputStream out) throws IOException {
                out.write(body);
                return body.length;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public String text(String target) {
        return get(target).path("text").asString("");
    }

    @Override
    public void command(String target, ExecRequest request, Consumer<ExecEvent> told) {
        noted("COMMAND " + target + " " + Json.text(request.toJson()));
        execEvents.forEach(told);
    }

    private Optional<JsonNode> noted(String line) {
        asked.add(line);
        if (everyAnswer.isPresent() && refusal.isPresent()) {
            throw refusal.get();
        }
        return everyAnswer;
    }

    @Override
    public LiveFeed live(String id) {
        calls.add("live " + id);
        return new LiveFeed() {
            @Override
            public Optional<Happening> next() {
                return Optional.ofNullable(happenings.poll());
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public JsonNode reload() {
        return answer("POST /reload-config");
    }

    private JsonNode answer(String call) {
        calls.add(call);
        String answer = answers.get(call);
        if (answer == null && call.startsWith("GET /budgets")) {
            return Json.parse("{\"budgets\":[]}");
        }
        if (answer == null) {
            throw new ServiceCallException(404, new ServiceError("not here: " + call, "not_found", "look"));
        }
        return Json.parse(answer);
    }

    @Override
    public ApprovalFeed approvals() {
        return new ScriptedFeed(_ -> true, false);
    }

    @Override
    public ApprovalFeed approvals(String sandbox, boolean answers) {
        feeds.add(sandbox + (answers ? "" : ", which nobody here answers"));
        return new ScriptedFeed(sandbox::equals, answers);
    }

    private final class ScriptedFeed implements ApprovalFeed {
        private final Predicate<String> sandbox;
        private boolean isFirst;

        /// @param begins with what waits, as the service does
        ScriptedFeed(Predicate<String> sandbox, boolean begins) {
            this.sandbox = sandbox;
            this.isFirst = begins;
        }

        @Override
        public Optional<Change> next() {
            if (isFirst) {
                isFirst = false;
                return Optional.of(new Change.Snapshot(List.of()));
            }
            try {
                Optional<Change> change = changes.take();
                while (change.isPresent() && !isOurs(change.get())) {
                    change = changes.take();
                }
                return change;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        private boolean isOurs(Change change) {
            return switch (change) {
                case Change.Snapshot _ -> true;
                case Change.Asked asked -> sandbox.test(asked.question().sandbox());
                case Change.Resolved resolved -> sandbox.test(resolved.sandbox());
            };
        }

        @Override
        public void close() {
            changes.add(Optional.empty());
        }
    }

    private final class Scripted implements GuestCommand {
        @Override
        public Optional<Event> next() {
            if (waitsForInputEnd) {
                awaitInputEnd();
            }
            return Optional.ofNullable(events.poll());
        }

        @Override
        public void input(byte[] data, int length) {
            input.write(data, 0, length);
        }

        @Override
        public void control(TerminalControl control) {
            if (control instanceof TerminalControl.InputEnd) {
                inputEnded.countDown();
            }
        }

        @Override
        public void close() {
            calls.add("close");
        }

        private void awaitInputEnd() {
            try {
                if (!inputEnded.await(60, TimeUnit.SECONDS)) {
                    throw new AssertionError("the input never ended");
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(interrupted);
            }
        }
    }
}
