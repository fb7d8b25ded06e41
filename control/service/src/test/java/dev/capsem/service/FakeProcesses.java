package dev.capsem.service;

import dev.capsem.sandbox.SandboxHandle;
import dev.capsem.sandbox.SandboxHandleJson;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.processes.ProcessStarter;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.FailureCode;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// capsem-processes without processes: they answer IPC messages in memory. A "socket" is an empty file.
public final class FakeProcesses implements ProcessStarter, ProcessConnector {
    private static final Instant STARTED = Instant.parse("2026-01-02T03:04:05Z");

    private static final String TOOLS = """
            {"servers":[{"name":"github","connected":true},{"name":"local","connected":true},
                        {"name":"near","connected":false,"error":"it closed the connection","ended":"exit code 3",
                         "log":["no such file","bye"]}],
             "tools":[{"name":"github__search","server_name":"github","state":"changed","diff":["- a","+ b"]},
                      {"name":"local__echo","server_name":"local","state":"approved","diff":[]}]}""";

    private final Map<Path, Fake> listening = new ConcurrentHashMap<>();
    private final AtomicLong pids = new AtomicLong(1_000);
    private final AtomicInteger startingNow = new AtomicInteger();
    private final AtomicInteger startingMost = new AtomicInteger();
    private final List<ServiceMessage> received = new CopyOnWriteArrayList<>();
    private volatile Optional<ProcessMessage.Failed> startFailure = Optional.empty();
    private volatile Optional<ProcessMessage.Failed> reloadFailure = Optional.empty();
    private volatile int fileExitCode;
    private volatile Function<String, ProcessMessage.Prepared> prepares = id -> new ProcessMessage.Prepared(
            id, Optional.empty(), Optional.of("nothing allows it"), Optional.empty(), Optional.empty());

    public void failStarts(String cause) {
        startFailure = Optional.of(new ProcessMessage.Failed(FailureCode.BOOT_FAILED, cause, "mend it"));
    }

    public void failReloads(String cause) {
        reloadFailure = Optional.of(new ProcessMessage.Failed(FailureCode.RULES_REFUSED, cause, "mend it"));
    }

    /// @param inside where what is asked about leads, if that is not public
    public void prepareWith(String rule, Optional<String> inside) {
        prepares = id -> new ProcessMessage.Prepared(
                id, Optional.of(rule), Optional.empty(), inside, Optional.of("every request there"));
    }

    public void answerFileOperationsWith(int exitCode) {
        fileExitCode = exitCode;
    }

    /// Every message of every link, Hello aside.
    public List<ServiceMessage> received() {
        return List.copyOf(received);
    }

    public int startedAtOnceMost() {
        return startingMost.get();
    }

    public long living() {
        return listening.values().stream().filter(Fake::isAlive).count();
    }

    /// As `kill -9` would: no farewell.
    public void kill(long pid) {
        listening.values().stream().filter(fake -> fake.pid == pid).forEach(Fake::kill);
    }

    @Override
    public Child start(Path socket, Path log) {
        startingMost.accumulateAndGet(startingNow.incrementAndGet(), Math::max);
        try {
            Thread.sleep(Duration.ofMillis(2));
            Files.createFile(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            startingNow.decrementAndGet();
        }
        Fake fake = new Fake(pids.incrementAndGet());
        listening.put(socket, fake);
        return fake;
    }

    @Override
    public Optional<Child> find(long pid, Instant startedAt) {
        return find(pid);
    }

    @Override
    public Optional<Child> find(long pid) {
        return listening.values().stream()
                .filter(fake -> fake.pid == pid && fake.isAlive())
                .<Child>map(fake -> fake)
                .findFirst();
    }

    @Override
    public ProcessConnection open(Path socket) {
        Fake fake = listening.get(socket);
        if (fake == null || !fake.isAlive()) {
            throw new IpcException(IpcException.Code.UNREACHABLE, "nobody listens");
        }
        return new Link(fake);
    }

    @Override
    public ProcessConnection open(Path socket, Duration limit) {
        return open(socket);
    }

    private final class Fake implements Child {
        private final long pid;
        private final CompletableFuture<Void> exited = new CompletableFuture<>();
        private volatile Optional<SandboxSpec> spec = Optional.empty();
        private volatile boolean suspended;
        private final List<Link> attending = new CopyOnWriteArrayList<>();

        Fake(long pid) {
            this.pid = pid;
        }

        @Override
        public long pid() {
            return pid;
        }

        @Override
        public Instant startedAt() {
            return STARTED;
        }

        @Override
        public boolean isAlive() {
            return !exited.isDone();
        }

        @Override
        public void kill() {
            exited.complete(null);
        }

        @Override
        public CompletableFuture<Void> exited() {
            return exited;
        }

        private List<ProcessMessage> answer(ServiceMessage message) {
            return switch (message) {
                case ServiceMessage.GetStatus _ -> List.of(status());
                case ServiceMessage.Assign assign -> assign(assign);
                case ServiceMessage.Exec exec -> exec(exec);
                case ServiceMessage.FileOperation operation -> file(operation);
                case ServiceMessage.Suspend _ -> frozen(true);
                case ServiceMessage.Resume _ -> frozen(false);
                case ServiceMessage.HoldStill _, ServiceMessage.Release _ -> List.of(new ProcessMessage.Done());
                case ServiceMessage.Relocate relocate -> relocate(relocate);
                case ServiceMessage.Stop _ -> {
                    kill();
                    yield List.of(new ProcessMessage.Done());
                }
                case ServiceMessage.Subscribe _ -> List.of(new ProcessMessage.Event("exec", "{\"seen\":true}"));
                case ServiceMessage.ReloadConfig _ ->
                    List.of(reloadFailure
                            .<ProcessMessage>map(failed -> failed)
                            .orElse(new ProcessMessage.Reloaded("1", 3, List.of())));
                case ServiceMessage.GetMetrics _ -> List.of(new ProcessMessage.Metrics("""
                                    {"counters":{"mitm_requests_total{protocol=\\"h2\\",decision=\\"allowed\\"}":3},
                                     "gauges":{"active_connections":1},
                                     "histograms":{"tls_handshake_ms":
                                       {"buckets":[[0.5,1],[1,2]],"count":4,"sum":7.25}}}"""));
                case ServiceMessage.GetRuleStats _ ->
                    List.of(
                            new ProcessMessage.RuleStats(
                                    "{\"generation\":1,\"rules\":[],\"detections\":[{\"id\":\"my-det-1\",\"match_count\":6}]}"));
                case ServiceMessage.GetTools _ -> List.of(new ProcessMessage.Tools(TOOLS));
                case ServiceMessage.ApproveTools approve ->
                    List.of(
                            approve.names().contains("gone__tool")
                                    ? new ProcessMessage.Failed(
                                            FailureCode.TOOL_NOT_FOUND, "there is no tool", "list them")
                                    : new ProcessMessage.Tools(TOOLS));
                case ServiceMessage.Hello _,
                        ServiceMessage.Attend _,
                        ServiceMessage.ApprovalReply _,
                        ServiceMessage.KeepBudgets _,
                        ServiceMessage.BudgetReply _,
                        ServiceMessage.ExecInput _ -> List.of();
            };
        }

        private ProcessMessage.Status status() {
            String state = spec.isEmpty() ? "Spare" : suspended ? "Suspended" : "Running";
            return new ProcessMessage.Status(
                    spec.map(given -> given.id().value()), state, 5, Map.of("process_exec_count", 3L), 0);
        }

        private List<ProcessMessage> assign(ServiceMessage.Assign assign) {
            move(assign.instanceSocket());
            if (startFailure.isPresent()) {
                return List.of(startFailure.get());
            }
            spec = Optional.of(assign.spec());
            SandboxHandle handle = new SandboxHandle("fake", pid, 7, Map.of());
            return List.of(
                    new ProcessMessage.BootStage("launch", Duration.ofMillis(1)),
                    new ProcessMessage.Assigned(pid + 1, SandboxHandleJson.write(handle)));
        }

        private List<ProcessMessage> exec(ServiceMessage.Exec exec) {
            byte[] out = (exec.command().shown() + "\n").getBytes(StandardCharsets.UTF_8);
            return List.of(
                    new ProcessMessage.Started(1, 42),
                    new ProcessMessage.Output(1, out),
                    new ProcessMessage.Output(2, new byte[] {'e'}),
                    new ProcessMessage.Exited(3, Optional.empty(), false, Duration.ofMillis(4), out.length, 1));
        }

        private List<ProcessMessage> file(ServiceMessage.FileOperation operation) {
            byte[] out = String.join(" ", operation.argv()).getBytes(StandardCharsets.UTF_8);
            return List.of(
                    new ProcessMessage.Started(1, 42),
                    new ProcessMessage.Output(1, out),
                    new ProcessMessage.Exited(fileExitCode, Optional.empty(), false, Duration.ZERO, out.length, 0));
        }

        private List<ProcessMessage> frozen(boolean now) {
            suspended = now;
            return List.of(new ProcessMessage.Done());
        }

        private List<ProcessMessage> relocate(ServiceMessage.Relocate to) {
            SandboxSpec old = spec.orElseThrow();
            try {
                Files.move(old.sessionDir(), to.newSessionDir());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            spec = Optional.of(new SandboxSpec(
                    to.newId(),
                    to.newSessionDir(),
                    old.runtimeDir(),
                    old.limits(),
                    old.environment(),
                    old.project(),
                    old.profileId(),
                    old.userId()));
            move(to.newInstanceSocket());
            return List.of(new ProcessMessage.Done());
        }

        private void move(Path to) {
            List<Path> from = new ArrayList<>();
            listening.forEach((path, fake) -> {
                if (fake == this) {
                    from.add(path);
                }
            });
            try {
                Files.move(from.getFirst(), to);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            listening.put(to, this);
            from.forEach(listening::remove);
        }
    }

    private final class Link implements ProcessConnection {
        private final Fake fake;
        private final BlockingQueue<ProcessMessage> answers = new LinkedBlockingQueue<>();
        private volatile boolean attends;
        private volatile boolean closed;

        Link(Fake fake) {
            this.fake = fake;
        }

        @Override
        public long pid() {
            return fake.pid;
        }

        @Override
        public void send(ServiceMessage message) {
            if (!fake.isAlive()) {
                throw new IpcException(IpcException.Code.LOST, "gone");
            }
            received.add(message);
            if (message instanceof ServiceMessage.Attend) {
                fake.attending.add(this);
                attends = true;
            }
            if (message instanceof ServiceMessage.Reply reply) {
                answers.add(
                        new ProcessMessage.QuestionOver(reply.question(), reply.approved() ? "approved" : "denied"));
            }
            if (message instanceof ServiceMessage.Prepare prepare) {
                answers.add(prepares.apply(prepare.question()));
            }
            answers.addAll(fake.answer(message));
        }

        @Override
        public Optional<ProcessMessage> receive() {
            try {
                while (attends && !closed && fake.isAlive()) {
                    ProcessMessage message = answers.poll(5, TimeUnit.MILLISECONDS);
                    if (message != null) {
                        return Optional.of(message);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IpcException(IpcException.Code.LOST, "interrupted");
            }
            return Optional.ofNullable(answers.poll());
        }

        @Override
        public void close() {
            closed = true;
            fake.attending.remove(this);
        }
    }

    /// What the process of that sandbox says to whoever attends it; false if nobody does.
    public boolean say(String sandbox, ProcessMessage message) {
        return listening.values().stream()
                .filter(fake -> fake.spec
                        .filter(spec -> spec.id().value().equals(sandbox))
                        .isPresent())
                .flatMap(fake -> fake.attending.stream())
                .map(link -> link.answers.add(message))
                .findFirst()
                .orElse(false);
    }

    /// As if the connection broke.
    public void loseAttendance() {
        listening.values().forEach(fake -> fake.attending.forEach(Link::close));
    }
}
