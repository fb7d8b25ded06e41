package dev.capsem.process.guest;

import dev.capsem.events.row.AuditRow;
import dev.capsem.network.record.Redaction;
import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Programs that started inside, as rows, in bursts, each with the command under which it runs. The guest can forge
/// what its programs say of themselves; that they started it cannot hide.
public final class ExecAudit {
    /// The events of one second of a parallel build; more is missed, and counted.
    static final int WAITING_MAX = 4_096;
    /// Programs whose command is remembered; pids of a sandbox are fewer.
    private static final int KNOWN_MAX = 4_096;

    private static final Duration BURST = Duration.ofMillis(100);
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");
    private static final int SHORT_NAME_LENGTH = 15;

    private record Seen(Instant at, GuestMessage.Execed program) {}

    private final InstantSource clock;
    private final BiConsumer<Instant, List<AuditRow>> onStarts;
    private final BlockingQueue<Seen> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
    private final Consumer<String> onOff;
    private final AtomicLong missed = new AtomicLong();
    private final AtomicReference<@Nullable String> problem = new AtomicReference<>();

    /// Guards `commands`: the reader of the control connection writes it, the thread of [#run()] reads it.
    private final Object lock = new Object();

    private final Map<Long, ExecId> commands = bounded();
    private final Map<Long, ExecId> programs = bounded();

    /// @param onOff told why the kernel lets nobody see programs start; must not wait
    public ExecAudit(InstantSource clock, BiConsumer<Instant, List<AuditRow>> onStarts, Consumer<String> onOff) {
        this.clock = clock;
        this.onStarts = onStarts;
        this.onOff = onOff;
    }

    void commandStarted(ExecId id, long pid) {
        synchronized (lock) {
            commands.put(pid, id);
        }
    }

    /// Never waits: it is called by the reader of the control connection.
    void execed(GuestMessage.Execed program) {
        if (!waiting.offer(new Seen(clock.instant(), program))) {
            missed.incrementAndGet();
        }
    }

    void missed(long count) {
        missed.addAndGet(count);
    }

    /// @return false if that was said before
    boolean off(String reason) {
        boolean first = problem.compareAndSet(null, reason);
        if (first) {
            onOff.accept(reason);
        }
        return first;
    }

    /// Why no program that starts is seen; absent while they are.
    public Optional<String> problem() {
        return Optional.ofNullable(problem.get());
    }

    /// How many programs started without a row.
    public long missed() {
        return missed.get();
    }

    /// Runs until an interrupt.
    public void run() {
        List<Seen> burst = new ArrayList<>();
        try {
            while (true) {
                burst.add(waiting.take());
                // Those of one command line come together, and the command's own Started with them.
                TimeUnit.MILLISECONDS.sleep(BURST.toMillis());
                waiting.drainTo(burst);
                report(burst);
                burst.clear();
            }
        } catch (InterruptedException e) {
            waiting.drainTo(burst);
            report(burst);
            Thread.currentThread().interrupt();
        }
    }

    private void report(List<Seen> burst) {
        if (!burst.isEmpty()) {
            onStarts.accept(burst.getFirst().at(), burst.stream().map(this::row).toList());
        }
    }

    private AuditRow row(Seen seen) {
        GuestMessage.Execed program = seen.program();
        Optional<ExecId> command = command(program);
        command.ifPresent(id -> programs.put(program.pid(), id));
        String executable = program.program().isEmpty() ? "unknown" : program.program();
        return new AuditRow(
                seen.at(),
                program.pid(),
                program.parentPid(),
                program.uid(),
                executable,
                Optional.of(shortName(executable)),
                argv(program),
                present(program.directory()),
                OptionalInt.empty(),
                OptionalLong.of(program.session()),
                present(program.terminal()),
                Optional.empty(),
                command.map(id -> OptionalLong.of(id.value())).orElse(OptionalLong.empty()),
                present(program.parentProgram()),
                Optional.empty());
    }

    /// By its session, else by its parent: a program that left the session still descends from the command.
    private Optional<ExecId> command(GuestMessage.Execed program) {
        synchronized (lock) {
            ExecId bySession = commands.get(program.session());
            return Optional.ofNullable(
                    bySession != null
                            ? bySession
                            : programs.getOrDefault(program.parentPid(), programs.get(program.pid())));
        }
    }

    /// As a shell would read it back, without secrets.
    private static String argv(GuestMessage.Execed program) {
        if (program.isUnreadable()) {
            return "(hidden by the process)";
        }
        String words = program.argv().stream()
                .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        String masked = Redaction.command(words);
        return program.isCut() ? masked + " …" : masked;
    }

    /// As the kernel names it.
    private static String shortName(String executable) {
        String name = executable.substring(executable.lastIndexOf('/') + 1);
        return name.length() <= SHORT_NAME_LENGTH ? name : name.substring(0, SHORT_NAME_LENGTH);
    }

    private static Optional<String> present(String text) {
        return Optional.of(text).filter(given -> !given.isEmpty());
    }

    private static Map<Long, ExecId> bounded() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, ExecId> eldest) {
                return size() > KNOWN_MAX;
            }
        };
    }
}
