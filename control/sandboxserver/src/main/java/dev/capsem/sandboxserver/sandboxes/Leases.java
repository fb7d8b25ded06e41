package dev.capsem.sandboxserver.sandboxes;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.state.StateFile;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// This API's own facts about a sandbox: which template it came from, and when it must end.
/// Deadlines are kept across a restart; one that passed meanwhile is enforced at once.
public final class Leases implements SandboxChanges.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
    private static final Set<String> ENDS = Set.of("stopped", "crashed", "deleted");
    /// Ids whose end by deadline is remembered, so that their clients learn why.
    private static final int EXPIRED_MAX = 1_000;

    private record Lease(Optional<String> template, Optional<Instant> deadline) {}

    private final StateFile file;
    private final Sandboxes sandboxes;
    private final Clock clock;

    /// Guards the maps and the file behind them.
    private final Object lock = new Object();

    private final Map<String, Lease> leases = new HashMap<>();
    private final Set<String> expired = new LinkedHashSet<>();

    public Leases(StateFile file, Sandboxes sandboxes, Clock clock) {
        this.file = file;
        this.sandboxes = sandboxes;
        this.clock = clock;
        file.read(json -> JsonMembers.of(json, "").objects("sandboxes").stream()
                        .collect(Collectors.toMap(one -> one.text("id"), Leases::lease)))
                .ifPresent(leases::putAll);
    }

    private static Lease lease(JsonMembers json) {
        return new Lease(
                json.optionalText("template"), json.optionalText("deadline").map(Instant::parse));
    }

    public void cameFrom(String id, String template) {
        synchronized (lock) {
            expired.remove(id);
            put(id, new Lease(Optional.of(template), Optional.empty()));
        }
    }

    public Optional<String> template(String id) {
        synchronized (lock) {
            return Optional.ofNullable(leases.get(id)).flatMap(Lease::template);
        }
    }

    public Optional<Instant> deadline(String id) {
        synchronized (lock) {
            return Optional.ofNullable(leases.get(id)).flatMap(Lease::deadline);
        }
    }

    public boolean isExpired(String id) {
        synchronized (lock) {
            return expired.contains(id);
        }
    }

    /// Replaces an earlier deadline.
    public Instant endAfter(String id, Duration life) {
        Instant deadline = clock.instant().plus(life);
        synchronized (lock) {
            put(id, new Lease(template(id), Optional.of(deadline)));
            lock.notifyAll();
        }
        return deadline;
    }

    private void put(String id, Lease lease) {
        leases.put(id, lease);
        save();
    }

    @Override
    public void happened(Sandbox sandbox, String what) {
        if (!ENDS.contains(what)) {
            return;
        }
        synchronized (lock) {
            if (leases.remove(sandbox.id().value()) != null) {
                save();
            }
        }
    }

    private void save() {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("sandboxes");
        leases.forEach((id, lease) -> {
            ObjectNode one = Json.object().put("id", id);
            lease.template.ifPresent(value -> one.put("template", value));
            lease.deadline.ifPresent(value -> one.put("deadline", value.toString()));
            all.add(one);
        });
        file.write(json);
    }

    /// Ends sandboxes as their deadlines pass, until interrupted.
    public void enforce() {
        try {
            while (true) {
                due().forEach(this::end);
                synchronized (lock) {
                    Optional<Duration> next = untilNext();
                    if (next.isEmpty()) {
                        lock.wait();
                    } else if (next.get().isPositive()) {
                        lock.wait(Math.max(1, next.get().toMillis()));
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<Duration> untilNext() {
        return leases.values().stream()
                .flatMap(lease -> lease.deadline.stream())
                .min(Comparator.naturalOrder())
                .map(first -> Duration.between(clock.instant(), first));
    }

    private List<String> due() {
        Instant now = clock.instant();
        synchronized (lock) {
            return leases.entrySet().stream()
                    .filter(entry -> entry.getValue()
                            .deadline
                            .filter(deadline -> !deadline.isAfter(now))
                            .isPresent())
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    /// A persistent sandbox is stopped and keeps its files; another is gone.
    private void end(String id) {
        synchronized (lock) {
            expired.add(id);
            expired.stream()
                    .findFirst()
                    .filter(_ -> expired.size() > EXPIRED_MAX)
                    .ifPresent(expired::remove);
        }
        try {
            LOG.info("the deadline of {} has passed", id);
            if (sandboxes.find(id).persistent()) {
                sandboxes.stop(id);
            } else {
                sandboxes.delete(id);
            }
        } catch (ServiceProblem e) {
            LOG.warn("{} could not be ended at its deadline: {}", id, e.getMessage());
        }
        synchronized (lock) {
            if (leases.remove(id) != null) {
                save();
            }
        }
    }
}
