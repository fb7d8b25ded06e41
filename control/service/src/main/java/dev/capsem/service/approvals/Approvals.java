package dev.capsem.service.approvals;

import dev.capsem.events.security.Answer.Scope;
import dev.capsem.profiles.io.UserProfiles;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
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
    private final ApprovalEvents stream = new ApprovalEvents(this::watcherLeft);
    private final QuestionFeed feed;
    private final QuestionQueue queue = new QuestionQueue(CAPACITY);

    /// The parts that the service provides.
    ///
    /// @param user who answers, if a request does not say
    /// @param grace how long a question whose last watcher left waits for another one
    public record Surroundings(
            Sandboxes sandboxes,
            ProcessConnector connector,
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
        this.feed = new QuestionFeed(around.sandboxes, around.connector, around.background, new Hearing());
    }

    /// Follows what becomes of sandboxes from now on, and attends those that run.
    public void begin(SandboxChanges changes) {
        changes.add(feed);
        feed.begin();
    }

    private final class Hearing implements QuestionFeed.Listener {
        @Override
        public void asked(Sandbox sandbox, ProcessConnection connection, ProcessMessage.Question question) {
            ask(sandbox, connection, question);
        }

        @Override
        public void prepared(ProcessConnection connection, ProcessMessage.Prepared message) {
            queue.find(connection, message.id())
                    .ifPresent(found -> found.prepared().complete(message));
        }

        @Override
        public void over(ProcessConnection connection, ProcessMessage.QuestionOver message) {
            queue.find(connection, message.id()).ifPresent(found -> end(found, message.outcome()));
        }

        @Override
        public void lost(ProcessConnection connection) {
            queue.those(one -> one.connection().equals(connection)).forEach(one -> end(one, "withdrawn"));
        }
    }

    private void ask(Sandbox sandbox, ProcessConnection connection, ProcessMessage.Question question) {
        if (!question.waits() && !stream.isWatched(sandbox)) {
            connection.send(new ServiceMessage.Unwatched(question.id()));
            return;
        }
        endForgotten();
        PendingQuestion pending = new PendingQuestion(newId(), current(sandbox), question, false);
        PendingQuestion offered = new PendingQuestion(
                pending.id(),
                pending.sandbox(),
                question,
                always.isPossible(sandbox.facts().profileId(), pending));
        if (queue.offer(OpenQuestion.of(sandbox, offered, connection))) {
            stream.tell(sandbox, "pending", offered.toJson());
            if (!question.waits() && !stream.isWatched(sandbox)) {
                // The last watcher left while the question came: it has not seen this one to refuse.
                watcherLeft();
            }
        } else {
            LOG.warn("{} asks, but {} questions wait already: refused", sandbox.id(), CAPACITY);
            connection.send(new ServiceMessage.Reply(
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
        List<OpenQuestion> left = queue.those(
                one -> !one.pending().question().waits() && !one.answer().isDone() && !stream.isWatched(one.sandbox()));
        for (OpenQuestion one : left) {
            try {
                one.connection()
                        .send(new ServiceMessage.Unwatched(
                                one.pending().question().id()));
            } catch (IpcException e) {
                end(one, "withdrawn");
            }
        }
    }

    /// A process tells when a question is over; one that does not must not fill the queue.
    private void endForgotten() {
        List<OpenQuestion> forgotten = queue.those(
                one -> one.pending().deadline().plus(FORGOTTEN_AFTER).isBefore(clock.instant()));
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

    private void end(OpenQuestion ended, String outcome) {
        if (!queue.end(ended)) {
            return;
        }
        Optional<PersonAnswer> given = Optional.ofNullable(ended.answer().getNow(null));
        ObjectNode json = Json.object()
                .put("id", ended.pending().id())
                .put("sandbox", ended.pending().sandbox().value())
                .put("outcome", outcome);
        given.ifPresent(answer -> json.put("scope", answer.scope().wireName()).put("by", by(answer)));
        audit(ended.pending(), outcome, given);
        ended.outcome().complete(outcome);
        stream.tell(ended.sandbox(), "resolved", json);
    }

    /// Who, when and how far; never what was in it.
    private void audit(PendingQuestion pending, String outcome, Optional<PersonAnswer> given) {
        LOG.atInfo()
                .addKeyValue("event", "approval")
                .addKeyValue("question", pending.id())
                .addKeyValue("sandbox", pending.sandbox().value())
                .addKeyValue("event_type", pending.question().eventType())
                .addKeyValue("rule", pending.question().rule())
                .addKeyValue("outcome", outcome)
                .addKeyValue(
                        "scope", given.map(answer -> answer.scope().wireName()).orElse("none"))
                .addKeyValue("by", given.map(this::by).orElse("nobody"))
                .log("approval");
    }

    private String by(PersonAnswer given) {
        return given.by().orElse(user);
    }

    /// The reply of `GET /confirm/pending`, oldest first.
    public ObjectNode pending() {
        ObjectNode json = rows(_ -> true);
        return json.put("capacity", CAPACITY);
    }

    /// How many questions wait.
    public int waiting() {
        return queue.unanswered(_ -> true, clock.instant()).size();
    }

    private ObjectNode rows(Predicate<Sandbox> which) {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("pending");
        queue.unanswered(which, clock.instant()).forEach(one -> all.add(one.toJson()));
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
        PersonAnswer given = PersonAnswer.fromJson(body);
        OpenQuestion found = queue.required(id, clock.instant());
        boolean writes = given.approved() && given.scope() == Scope.ALWAYS;
        Optional<AlwaysRule.Written> written = Optional.empty();
        if (!found.answer().complete(given)) {
            throw QuestionQueue.tooLate(id);
        }
        try {
            if (writes) {
                written = Optional.of(remember(found));
            }
        } catch (ServiceProblem e) {
            queue.reopen(found);
            throw e;
        }
        String outcome = deliver(found, given);
        ObjectNode json = Json.object()
                .put("id", id)
                .put("outcome", outcome)
                .put("scope", given.scope().wireName())
                .put("by", by(given));
        written.ifPresent(rule -> json.putObject("rule_written")
                .put("id", rule.id().value())
                .put("file", rule.file().toString()));
        return json;
    }

    /// Writes the rule that its process tried. A request that turns out to lead inside is asked about again, with where
    /// it leads: nobody opens their own network without having seen it.
    private AlwaysRule.Written remember(OpenQuestion found) {
        Sandbox sandbox = sandboxes.find(found.pending().sandbox().value());
        ProcessMessage.Prepared prepared = prepared(found);
        boolean isNews = prepared.inside().isPresent()
                && !prepared.rule().equals(found.pending().question().suggestion());
        if (isNews && prepared.rule().isPresent()) {
            String inside = prepared.inside().get();
            supersede(found, inside, prepared);
            throw new ServiceProblem(
                    ServiceProblem.Code.LEADS_INSIDE,
                    "not allowed yet: it leads to " + inside + ", inside this host or its networks",
                    "answer the question that asks for it there: `capsem approvals`");
        }
        AlwaysRule.Written written = always.write(sandbox.facts(), found.pending(), prepared);
        reloads.all();
        return written;
    }

    private ProcessMessage.Prepared prepared(OpenQuestion found) {
        try {
            found.connection()
                    .send(new ServiceMessage.Prepare(found.pending().question().id()));
            return found.prepared().get(PREPARE_MAX.toMillis(), TimeUnit.MILLISECONDS);
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

    private void supersede(OpenQuestion found, String inside, ProcessMessage.Prepared prepared) {
        PendingQuestion again =
                found.pending().leading(newId(), inside, prepared.rule().orElseThrow(), prepared.covers());
        queue.replace(found, OpenQuestion.of(found.sandbox(), again, found.connection()));
        stream.tell(
                found.sandbox(),
                "resolved",
                Json.object()
                        .put("id", found.pending().id())
                        .put("sandbox", found.pending().sandbox().value())
                        .put("outcome", "asked_again"));
        stream.tell(found.sandbox(), "pending", again.toJson());
    }

    private String deliver(OpenQuestion found, PersonAnswer given) {
        String expected = given.approved() ? "approved" : "denied";
        try {
            found.connection()
                    .send(new ServiceMessage.Reply(
                            found.pending().question().id(),
                            given.approved(),
                            given.scope().wireName(),
                            by(given)));
        } catch (IpcException e) {
            end(found, "withdrawn");
        }
        String outcome = outcome(found, expected);
        if (!outcome.equals(expected)) {
            throw QuestionQueue.tooLate(found.pending().id());
        }
        return outcome;
    }

    /// What its process says; one that says nothing has at least read the answer.
    private String outcome(OpenQuestion found, String expected) {
        try {
            return found.outcome().get(CONFIRM_MAX.toMillis(), TimeUnit.MILLISECONDS);
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
