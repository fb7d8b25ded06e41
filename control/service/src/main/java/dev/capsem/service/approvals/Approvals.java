package dev.capsem.service.approvals;

import dev.capsem.events.security.Answer.Scope;
import dev.capsem.profiles.io.UserProfiles;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.sandboxes.ProcessDoor;
import dev.capsem.service.sandboxes.ProcessLink;
import dev.capsem.service.sandboxes.Sandbox;
import dev.capsem.service.sandboxes.SandboxChanges;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The questions of all sandboxes and the answers to them.
public final class Approvals {
    private static final Logger LOG = LoggerFactory.getLogger(Approvals.class);

    /// Over all sandboxes; what comes above is refused at once.
    public static final int CAPACITY = 100;

    /// Of questions that are over, so many are remembered, to tell "too late" from "never was".
    static final int OVER_MAX = 1_000;

    /// How long a process may take to say what became of an answer.
    private static final Duration CONFIRM_MAX = Duration.ofSeconds(2);

    /// How long a process may look for the rule of an "always"; resolvers may be slow.
    private static final Duration PREPARE_MAX = Duration.ofSeconds(15);

    private static final Duration FORGOTTEN_AFTER = Duration.ofSeconds(5);

    private final Sandboxes sandboxes;
    private final AlwaysRule always;
    private final Reloads reloads;
    private final Clock clock;
    private final RandomGenerator random;
    private final String user;
    private final Duration grace;
    private final TaskScope background;
    private final ApprovalStream stream = new ApprovalStream(this::watcherLeft);
    private final Attendance attendance;

    /// A question with the way back to who asked.
    ///
    /// @param outcome completed when it is over, with what became of it
    /// @param prepared completed when its process has found the rule for an "always"
    private record Open(
            Sandbox sandbox,
            Pending pending,
            ProcessLink link,
            CompletableFuture<String> outcome,
            CompletableFuture<Verdict> verdict,
            CompletableFuture<ProcessMessage.Prepared> prepared) {
        static Open of(Sandbox sandbox, Pending pending, ProcessLink link) {
            return new Open(
                    sandbox,
                    pending,
                    link,
                    new CompletableFuture<>(),
                    new CompletableFuture<>(),
                    new CompletableFuture<>());
        }
    }

    /// Guards the two fields below.
    private final Object queue = new Object();

    private final Map<String, Open> open = new HashMap<>();

    /// Ids of questions that are over, oldest first.
    private final List<String> over = new ArrayList<>();

    /// What the service provides.
    ///
    /// @param user who answers, if a request does not say
    /// @param grace how long a question whose last watcher left waits for another one
    public record Surroundings(
            Sandboxes sandboxes,
            ProcessDoor door,
            TaskScope background,
            Profiles profiles,
            Reloads reloads,
            Clock clock,
            RandomGenerator random,
            String user,
            Duration grace) {}

    public Approvals(Surroundings around) {
        this.sandboxes = around.sandboxes;
        this.always = new AlwaysRule(around.profiles, new UserProfiles(around.profiles.folders()));
        this.reloads = around.reloads;
        this.clock = around.clock;
        this.random = around.random;
        this.user = around.user;
        this.grace = around.grace;
        this.background = around.background;
        this.attendance = new Attendance(around.sandboxes, around.door, around.background, new Hearing());
    }

    /// Follows what becomes of sandboxes from now on, and attends those that run.
    public void begin(SandboxChanges changes) {
        changes.add(attendance);
        attendance.begin();
    }

    private final class Hearing implements Attendance.Listener {
        @Override
        public void asked(Sandbox sandbox, ProcessLink link, ProcessMessage.Question question) {
            ask(sandbox, link, question);
        }

        @Override
        public void prepared(ProcessLink link, ProcessMessage.Prepared message) {
            find(link, message.id()).ifPresent(found -> found.prepared.complete(message));
        }

        @Override
        public void over(ProcessLink link, ProcessMessage.QuestionOver message) {
            find(link, message.id()).ifPresent(found -> end(found, message.outcome()));
        }

        @Override
        public void lost(ProcessLink link) {
            List<Open> left;
            synchronized (queue) {
                left = open.values().stream()
                        .filter(one -> one.link.equals(link))
                        .toList();
            }
            left.forEach(one -> end(one, "withdrawn"));
        }
    }

    private void ask(Sandbox sandbox, ProcessLink link, ProcessMessage.Question question) {
        if (!question.waits() && !stream.isWatched(sandbox)) {
            link.send(new ServiceMessage.Unwatched(question.id()));
            return;
        }
        endForgotten();
        Pending pending = new Pending(newId(), current(sandbox), question, false);
        Pending offered = new Pending(
                pending.id(),
                pending.sandbox(),
                question,
                always.isPossible(sandbox.facts().profileId(), pending));
        boolean fits;
        synchronized (queue) {
            fits = open.size() < CAPACITY;
            if (fits) {
                open.put(offered.id(), Open.of(sandbox, offered, link));
            }
        }
        if (fits) {
            stream.tell(sandbox, "pending", offered.toJson());
            if (!question.waits() && !stream.isWatched(sandbox)) {
                // The last watcher left while the question came: it has not seen this one to refuse.
                watcherLeft();
            }
        } else {
            LOG.warn("{} asks, but {} questions wait already: refused", sandbox.id(), CAPACITY);
            link.send(new ServiceMessage.Reply(
                    question.id(), false, Scope.ONCE.wireName(), "capsem-service: queue full"));
        }
    }

    /// What waits for a watcher who left is refused, unless another one is there by the end of the grace: a page that
    /// is loaded again, or a connection that broke, costs no question.
    private void watcherLeft() {
        if (background.isClosed()) {
            return;
        }
        background.start(() -> {
            try {
                Thread.sleep(grace);
                refuseUnwatched();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void refuseUnwatched() {
        List<Open> left;
        synchronized (queue) {
            left = open.values().stream()
                    .filter(one -> !one.pending.question().waits() && !one.verdict.isDone())
                    .filter(one -> !stream.isWatched(one.sandbox))
                    .toList();
        }
        for (Open one : left) {
            try {
                one.link.send(
                        new ServiceMessage.Unwatched(one.pending.question().id()));
            } catch (IpcException e) {
                end(one, "withdrawn");
            }
        }
    }

    /// A process tells when a question is over; one that does not must not fill the queue.
    private void endForgotten() {
        List<Open> forgotten;
        synchronized (queue) {
            forgotten = open.values().stream()
                    .filter(one -> one.pending.deadline().plus(FORGOTTEN_AFTER).isBefore(clock.instant()))
                    .toList();
        }
        forgotten.forEach(one -> end(one, "timed_out"));
    }

    /// A sandbox that was made persistent has another name than when its connection began.
    private SandboxId current(Sandbox sandbox) {
        return sandboxes.all().stream()
                .filter(now -> now.instance().isPresent() && sandbox.instance().isPresent())
                .filter(now ->
                        now.instance().get().pid() == sandbox.instance().get().pid())
                .map(Sandbox::id)
                .findFirst()
                .orElse(sandbox.id());
    }

    private String newId() {
        byte[] bytes = new byte[6];
        random.nextBytes(bytes);
        return "ask-" + HexFormat.of().formatHex(bytes);
    }

    private Optional<Open> find(ProcessLink link, String question) {
        synchronized (queue) {
            return open.values().stream()
                    .filter(one ->
                            one.link.equals(link) && one.pending.question().id().equals(question))
                    .findFirst();
        }
    }

    private void end(Open ended, String outcome) {
        boolean isFirst;
        synchronized (queue) {
            isFirst = open.remove(ended.pending.id()) != null;
            if (isFirst) {
                noteOver(ended.pending.id());
            }
        }
        if (!isFirst) {
            return;
        }
        Optional<Verdict> verdict = Optional.ofNullable(ended.verdict.getNow(null));
        ObjectNode json = Json.object()
                .put("id", ended.pending.id())
                .put("sandbox", ended.pending.sandbox().value())
                .put("outcome", outcome);
        verdict.ifPresent(given -> json.put("scope", given.scope().wireName()).put("by", by(given)));
        audit(ended.pending, outcome, verdict);
        ended.outcome.complete(outcome);
        stream.tell(ended.sandbox, "resolved", json);
    }

    /// Requires: the queue's lock.
    private void noteOver(String id) {
        over.add(id);
        if (over.size() > OVER_MAX) {
            over.removeFirst();
        }
    }

    /// Who, when and how far; never what was in it.
    private void audit(Pending pending, String outcome, Optional<Verdict> verdict) {
        LOG.atInfo()
                .addKeyValue("event", "approval")
                .addKeyValue("question", pending.id())
                .addKeyValue("sandbox", pending.sandbox().value())
                .addKeyValue("event_type", pending.question().eventType())
                .addKeyValue("rule", pending.question().rule())
                .addKeyValue("outcome", outcome)
                .addKeyValue(
                        "scope", verdict.map(given -> given.scope().wireName()).orElse("none"))
                .addKeyValue("by", verdict.map(this::by).orElse("nobody"))
                .log("approval");
    }

    private String by(Verdict verdict) {
        return verdict.by().orElse(user);
    }

    /// The reply of `GET /confirm/pending`, oldest first.
    public ObjectNode pending() {
        ObjectNode json = rows(_ -> true);
        return json.put("capacity", CAPACITY);
    }

    /// How many questions wait.
    public int waiting() {
        return unanswered(_ -> true).size();
    }

    private List<Pending> unanswered(Predicate<Sandbox> which) {
        synchronized (queue) {
            return open.values().stream()
                    .filter(one -> !one.verdict.isDone() && which.test(one.sandbox))
                    .map(Open::pending)
                    .filter(pending -> pending.deadline().isAfter(clock.instant()))
                    .sorted(Comparator.comparingLong(
                                    (Pending pending) -> pending.question().askedAtMillis())
                            .thenComparing(Pending::id))
                    .toList();
        }
    }

    private ObjectNode rows(Predicate<Sandbox> which) {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("pending");
        unanswered(which).forEach(one -> all.add(one.toJson()));
        return json;
    }

    /// Throws [ServiceProblem] if there is no such sandbox.
    ///
    /// @param sandbox whose questions; empty for all
    public Watch watching(Optional<String> sandbox, boolean answers) {
        return new Watch(sandbox.map(sandboxes::find), answers);
    }

    /// Writes server-sent events until the sink throws.
    public void watch(Watch watch, Consumer<byte[]> sink) {
        stream.watch(watch, () -> rows(watch::covers), sink);
    }

    /// The reply of `POST /confirm/{id}`: what truly became of the question.
    public ObjectNode answer(String id, JsonMembers body) {
        Verdict verdict = Verdict.fromJson(body);
        Open found = waiting(id);
        boolean writes = verdict.approved() && verdict.scope() == Scope.ALWAYS;
        Optional<AlwaysRule.Written> written = Optional.empty();
        if (!found.verdict.complete(verdict)) {
            throw tooLate(id);
        }
        try {
            if (writes) {
                written = Optional.of(remember(found));
            }
        } catch (ServiceProblem e) {
            reopen(found);
            throw e;
        }
        String outcome = deliver(found, verdict);
        ObjectNode json = Json.object()
                .put("id", id)
                .put("outcome", outcome)
                .put("scope", verdict.scope().wireName())
                .put("by", by(verdict));
        written.ifPresent(rule -> json.putObject("rule_written")
                .put("id", rule.id().value())
                .put("file", rule.file().toString()));
        return json;
    }

    /// Writes the rule that its process tried. A request that turns out to lead inside is asked about again, with where
    /// it leads: nobody opens their own network without having seen it.
    private AlwaysRule.Written remember(Open found) {
        Sandbox sandbox = sandboxes.find(found.pending.sandbox().value());
        ProcessMessage.Prepared prepared = prepared(found);
        boolean isNews = prepared.inside().isPresent()
                && !prepared.rule().equals(found.pending.question().suggestion());
        if (isNews && prepared.rule().isPresent()) {
            String inside = prepared.inside().get();
            supersede(found, inside, prepared);
            throw new ServiceProblem(
                    ServiceProblem.Code.LEADS_INSIDE,
                    "not allowed yet: it leads to " + inside + ", inside this host or its networks",
                    "answer the question that asks for it there: `capsem approvals`");
        }
        AlwaysRule.Written written = always.write(sandbox.facts(), found.pending, prepared);
        reloads.all();
        return written;
    }

    private ProcessMessage.Prepared prepared(Open found) {
        try {
            found.link.send(new ServiceMessage.Prepare(found.pending.question().id()));
            return found.prepared.get(PREPARE_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IpcException | TimeoutException | ExecutionException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.OPERATION_FAILED,
                    "its sandbox did not find a rule for this in time",
                    "approve it once or for the session",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceProblem(ServiceProblem.Code.SHUTTING_DOWN, "the service is shutting down", "try again", e);
        }
    }

    private void supersede(Open found, String inside, ProcessMessage.Prepared prepared) {
        Pending again = found.pending.leading(newId(), inside, prepared.rule().orElseThrow(), prepared.covers());
        synchronized (queue) {
            if (open.remove(found.pending.id()) == null) {
                throw tooLate(found.pending.id());
            }
            noteOver(found.pending.id());
            open.put(again.id(), Open.of(found.sandbox, again, found.link));
        }
        stream.tell(
                found.sandbox,
                "resolved",
                Json.object()
                        .put("id", found.pending.id())
                        .put("sandbox", found.pending.sandbox().value())
                        .put("outcome", "asked_again"));
        stream.tell(found.sandbox, "pending", again.toJson());
    }

    private Open waiting(String id) {
        synchronized (queue) {
            Open found = open.get(id);
            if (found == null && over.contains(id)) {
                throw tooLate(id);
            }
            if (found == null) {
                throw new ServiceProblem(
                        ServiceProblem.Code.QUESTION_NOT_FOUND,
                        "there is no such question",
                        "see which wait: `capsem approvals`");
            }
            if (!found.pending.deadline().isAfter(clock.instant())) {
                throw tooLate(id);
            }
            return found;
        }
    }

    /// An answer that could not be carried out was none: the question waits on.
    private void reopen(Open found) {
        synchronized (queue) {
            open.computeIfPresent(
                    found.pending.id(),
                    (_, one) -> new Open(
                            one.sandbox,
                            one.pending,
                            one.link,
                            one.outcome,
                            new CompletableFuture<>(),
                            new CompletableFuture<>()));
        }
    }

    private static ServiceProblem tooLate(String id) {
        return new ServiceProblem(
                ServiceProblem.Code.QUESTION_OVER,
                "the question " + id.substring(0, Math.min(id.length(), 64)) + " was answered or is over",
                "see which wait: `capsem approvals`");
    }

    private String deliver(Open found, Verdict verdict) {
        String expected = verdict.approved() ? "approved" : "denied";
        try {
            found.link.send(new ServiceMessage.Reply(
                    found.pending.question().id(),
                    verdict.approved(),
                    verdict.scope().wireName(),
                    by(verdict)));
        } catch (IpcException e) {
            end(found, "withdrawn");
        }
        String outcome = outcome(found, expected);
        if (!outcome.equals(expected)) {
            throw tooLate(found.pending.id());
        }
        return outcome;
    }

    /// What its process says; one that says nothing has at least read the answer.
    private String outcome(Open found, String expected) {
        try {
            return found.outcome.get(CONFIRM_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            end(found, expected);
            return expected;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceProblem(ServiceProblem.Code.SHUTTING_DOWN, "the service is shutting down", "try again", e);
        }
    }
}
