package dev.capsem.process.approve;

import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.process.record.LiveEvents;
import dev.capsem.security.explain.DecisionExplanation.Remedy;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import java.net.InetAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Holds questions until whoever attends answers them. An approval for the session is kept here and ends with it.
public final class ApprovalQueue implements ApprovalDesk, AutoCloseable {
    /// Questions of one sandbox that wait at once; one more is refused. Few: a guest must not fill the queue of all.
    public static final int PENDING_MAX = 10;

    private static final String ONCE = "this one, and exact repetitions of it that wait now";

    /// A rule that is gone meanwhile may have read anything: its approval covers little.
    private static final Set<String> UNKNOWN_RULE_READS = Set.of("http.request.path", "mcp.request.arguments");

    /// Approvals kept for the session; beyond that each question is asked anew.
    static final int GRANTS_MAX = 10_000;

    /// The name of the asker where no rule asks.
    private static final String CHANGED_TOOL = "capsem.tool_pins";

    /// The messages that an approver may leave unread; with more it does not attend.
    static final int UNREAD_MAX = 40 * PENDING_MAX;

    /// Finds what would allow an event from now on. May take its time.
    public interface Suggestions {
        Remedy remedy(SecurityEvent event, Optional<RuleId> decider);
    }

    /// The facts about an event before it goes on.
    ///
    /// @param leadsTo the address of a name; asked for only when a person wants to allow it
    /// @param reads the fields that a rule reads; empty if the rule is gone
    public record Foresight(
            Suggestions suggestions,
            Function<String, Optional<InetAddress>> leadsTo,
            Function<RuleId, Optional<Set<String>>> reads) {}

    private final InstantSource clock;
    private final Patience patience;
    private final Foresight foresight;
    private final LiveEvents live;
    private final TaskScope scope;

    /// Guards everything below. Futures are completed without it: what depends on them is not ours.
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<String, Pending> pending = new LinkedHashMap<>();

    /// By whom each was given.
    private final Map<Pending.Grant, String> grants = new HashMap<>();

    private final Set<Attendant> attendants = new HashSet<>();
    private final Unanswered unanswered = new Unanswered(PENDING_MAX);
    private long questions;
    private boolean isClosed;

    /// @param scope where suggestions are looked for
    public ApprovalQueue(
            InstantSource clock, Patience patience, Foresight foresight, LiveEvents live, TaskScope scope) {
        this.clock = clock;
        this.patience = patience;
        this.foresight = foresight;
        this.live = live;
        this.scope = scope;
    }

    @Override
    public CompletableFuture<Answer> ask(SecurityEvent event, Evaluation asked) {
        ApprovalSubject subject = ApprovalSubject.of(
                event, asked.rule().flatMap(foresight.reads()).orElse(UNKNOWN_RULE_READS));
        Pending.Grant grant = new Pending.Grant(asked.rule(), subject.key());
        Pending question;
        CompletableFuture<Answer> asker;
        lock.lock();
        try {
            String grantedBy = grants.get(grant);
            if (grantedBy != null && !grant.isForOnce()) {
                return CompletableFuture.completedFuture(new Answer.Approved(Answer.Scope.SESSION, grantedBy));
            }
            if (isClosed || attendants.isEmpty()) {
                return CompletableFuture.completedFuture(nobody());
            }
            Optional<Pending> same = grant.isForOnce() ? Optional.empty() : same(grant, event);
            if (same.isPresent()) {
                return join(same.get());
            }
            if (pending.size() >= PENDING_MAX) {
                return CompletableFuture.completedFuture(new Answer.Refused(
                        Answer.Cause.QUEUE_FULL, PENDING_MAX + " questions wait for an answer already", "capsem"));
            }
            question = new Pending("q-" + ++questions, grant, subject, event, asked, clock.instant());
            pending.put(question.id, question);
            asker = join(question);
        } finally {
            lock.unlock();
        }
        CompletableFuture<Answer> _ = question.answer.completeOnTimeout(
                new Answer.Refused(
                        Answer.Cause.TIMED_OUT,
                        "nobody answered within " + patience.max().toSeconds() + " seconds",
                        "capsem"),
                patience.max().toNanos(),
                TimeUnit.NANOSECONDS);
        CompletableFuture<Answer> _ = question.answer.whenComplete((answer, _) -> over(question, answer));
        try {
            scope.start(() -> announce(question));
        } catch (RejectedExecutionException ending) {
            question.answer.complete(nobody());
        }
        return asker;
    }

    /// Requires: the lock. A question about the very same thing, which one answer settles.
    private Optional<Pending> same(Pending.Grant grant, SecurityEvent event) {
        Optional<List<?>> content = ApprovalSubject.content(event);
        return content.isEmpty()
                ? Optional.empty()
                : pending.values().stream()
                        .filter(one -> one.grant.equals(grant) && !one.answer.isDone())
                        .filter(one -> ApprovalSubject.content(one.event).equals(content))
                        .findFirst();
    }

    /// Requires: the lock. One more waits for the answer; when the last one leaves, the question is withdrawn.
    private CompletableFuture<Answer> join(Pending question) {
        CompletableFuture<Answer> asker = new CompletableFuture<>();
        question.askers++;
        CompletableFuture<Answer> _ = asker.whenComplete((answer, _) -> left(question, answer));
        CompletableFuture<Answer> _ = question.answer.whenComplete((answer, _) -> {
            if (answer == null) {
                asker.cancel(false);
            } else {
                asker.complete(answer);
            }
        });
        return asker;
    }

    /// @param answer none if the asker withdrew its question
    private void left(Pending question, @Nullable Answer answer) {
        boolean isLast;
        lock.lock();
        try {
            question.askers--;
            isLast = question.askers == 0;
            if (isLast) {
                pending.remove(question.id);
            }
        } finally {
            lock.unlock();
        }
        if (isLast && answer == null) {
            question.answer.cancel(false);
        } else if (isLast) {
            question.answer.complete(answer);
        }
    }

    /// Somebody is there to answer, until it is closed. What waits already is told first.
    public Attendant attend() {
        Attendant attendant = new Attendant();
        lock.lock();
        try {
            if (isClosed) {
                attendant.end();
                return attendant;
            }
            attendants.add(attendant);
            pending.values().forEach(question -> {
                ProcessMessage.Question told = question.question;
                if (told != null) {
                    attendant.tell(told);
                }
            });
        } finally {
            lock.unlock();
        }
        return attendant;
    }

    /// A person's answer. One that comes too late, or to a question that never was, changes nothing.
    public void reply(ServiceMessage.Reply reply) {
        Optional<Pending> question = waiting(reply.question());
        if (question.isEmpty()) {
            return;
        }
        Answer answer = Pending.answer(reply, question.get().grant.isForOnce());
        boolean isInTime = question.get().answer.complete(answer);
        if (isInTime && answer instanceof Answer.Approved approved && approved.scope() != Answer.Scope.ONCE) {
            grant(question.get().grant, approved.by())
                    .forEach(same -> same.answer.complete(new Answer.Approved(Answer.Scope.SESSION, approved.by())));
        }
    }

    /// Nobody watches: the question is refused, as its profile wants. One that is over stays as it is.
    public void unwatched(String id) {
        waiting(id)
                .ifPresent(question -> question.answer.complete(new Answer.Refused(
                        Answer.Cause.NO_APPROVER,
                        "nobody is there to answer: start `capsem approvals --watch`, or set unwatched = \"wait\" under"
                                + " [approvals] in the profile",
                        "capsem")));
    }

    @Override
    public List<String> unanswered(Instant since) {
        lock.lock();
        try {
            Stream<String> waiting = pending.values().stream().map(question -> question.subject.line());
            return Stream.concat(unanswered.since(since), waiting).distinct().toList();
        } finally {
            lock.unlock();
        }
    }

    /// A person would allow what a question is about for always: attendants are told the rule that does, where the
    /// request will lead included. A question that is over is not prepared.
    public void prepare(String id) {
        waiting(id).ifPresent(question -> {
            try {
                scope.start(() -> tellEach(prepared(question)));
            } catch (RejectedExecutionException ending) {
                question.answer.complete(nobody());
            }
        });
    }

    private ProcessMessage.Prepared prepared(Pending question) {
        if (question.grant.isForOnce()) {
            return new ProcessMessage.Prepared(
                    question.id,
                    Optional.empty(),
                    Optional.of("a tool that changed is approved as it is now, not for always"),
                    Optional.empty(),
                    Optional.empty());
        }
        SecurityEvent event = question.event;
        if (event instanceof HttpRequest request && request.address().isEmpty()) {
            event = foresight
                    .leadsTo()
                    .apply(request.host())
                    .map(request::withAddress)
                    .orElse(request);
        }
        Optional<String> inside = event instanceof HttpRequest request && request.leadsInside()
                ? Optional.of(request.addressText().orElseThrow() + " ("
                        + request.addressClass().orElseThrow() + ")")
                : Optional.empty();
        return switch (foresight.suggestions().remedy(event, question.asked.rule())) {
            case Remedy.AddRule add ->
                new ProcessMessage.Prepared(
                        question.id,
                        Optional.of(add.toml()),
                        Optional.empty(),
                        inside,
                        Optional.of(always(event, add)));
            case Remedy.NotYours not ->
                new ProcessMessage.Prepared(
                        question.id, Optional.empty(), Optional.of(not.reason()), inside, Optional.empty());
        };
    }

    private static String always(SecurityEvent event, Remedy.AddRule add) {
        return "every " + event.type().wireName() + " with " + add.condition()
                + ", in every sandbox of this profile, until you remove the rule";
    }

    private void tellEach(ProcessMessage message) {
        List<Attendant> behind;
        lock.lock();
        try {
            behind = tellAll(message);
        } finally {
            lock.unlock();
        }
        behind.forEach(Attendant::dismiss);
    }

    public int waiting() {
        lock.lock();
        try {
            return pending.size();
        } finally {
            lock.unlock();
        }
    }

    /// Refuses everything, from now on. Attendants hear how their last questions ended, then the end.
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
        refuseAll();
        lock.lock();
        try {
            attendants.forEach(Attendant::end);
        } finally {
            lock.unlock();
        }
    }

    /// An approver. Messages to it wait here until it reads them.
    public final class Attendant implements AutoCloseable {
        private final BlockingQueue<Optional<ProcessMessage>> unread = new ArrayBlockingQueue<>(UNREAD_MAX);

        private Attendant() {}

        /// The next question, or the end of one; empty when the desk is closed, or this attendant fell too far behind
        /// to count as one.
        public Optional<ProcessMessage> next() throws InterruptedException {
            return unread.take();
        }

        /// Requires: the desk's lock. False if it does not keep up.
        private boolean tell(ProcessMessage message) {
            return unread.offer(Optional.of(message));
        }

        @Override
        public void close() {
            lock.lock();
            try {
                attendants.remove(this);
                if (!attendants.isEmpty()) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            refuseAll();
        }

        private void dismiss() {
            unread.clear();
            end();
            close();
        }

        private void end() {
            while (!unread.offer(Optional.empty())) {
                unread.clear();
            }
        }
    }

    private Optional<Pending> waiting(String id) {
        lock.lock();
        try {
            return Optional.ofNullable(pending.get(id));
        } finally {
            lock.unlock();
        }
    }

    /// Other questions that wait for the same approval.
    private List<Pending> grant(Pending.Grant grant, String by) {
        lock.lock();
        try {
            if (grants.size() < GRANTS_MAX) {
                grants.put(grant, by);
            }
            return pending.values().stream()
                    .filter(question -> question.grant.equals(grant))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    private void refuseAll() {
        List<Pending> all;
        lock.lock();
        try {
            all = List.copyOf(pending.values());
        } finally {
            lock.unlock();
        }
        all.forEach(question -> question.answer.complete(nobody()));
    }

    private void announce(Pending question) {
        Optional<Remedy.AddRule> suggestion = !question.grant.isForOnce()
                        && foresight.suggestions().remedy(question.event, question.asked.rule())
                                instanceof Remedy.AddRule add
                ? Optional.of(add)
                : Optional.empty();
        ProcessMessage.Question told = new ProcessMessage.Question(
                question.id,
                question.event.type().wireName(),
                question.asked.rule().map(RuleId::value).orElse(CHANGED_TOOL),
                question.asked.reason(),
                question.subject.line(),
                question.subject.processName(),
                suggestion.map(Remedy.AddRule::toml),
                question.at.toEpochMilli(),
                question.at.plus(patience.max()).toEpochMilli(),
                question.subject.details(),
                new ProcessMessage.Covers(
                        ONCE,
                        question.grant.isForOnce() ? ONCE : question.subject.session(),
                        suggestion.map(add -> always(question.event, add))),
                patience.unwatched().getAsBoolean());
        List<Attendant> behind;
        lock.lock();
        try {
            if (!pending.containsKey(question.id)) {
                return;
            }
            question.question = told;
            behind = tellAll(told);
        } finally {
            lock.unlock();
        }
        behind.forEach(Attendant::dismiss);
        live.publish(
                "ask",
                () -> Json.text(Json.object()
                        .put("id", told.id())
                        .put("event_id", question.event.envelope().id().value())
                        .put("event_type", told.eventType())
                        .put("rule", told.rule())
                        .put("subject", told.subject())
                        .put("deadline_unix_ms", told.deadlineMillis())));
    }

    /// @param answer none if the asker withdrew its question
    private void over(Pending question, @Nullable Answer answer) {
        String outcome = switch (answer) {
            case null -> "withdrawn";
            case Answer.Approved _ -> "approved";
            case Answer.Refused refused ->
                switch (refused.cause()) {
                    case DENIED -> "denied";
                    case TIMED_OUT -> "timed_out";
                    case NO_APPROVER -> "nobody";
                    case QUEUE_FULL, WITHDRAWN -> "withdrawn";
                };
        };
        List<Attendant> behind = new ArrayList<>();
        lock.lock();
        try {
            pending.remove(question.id);
            if (outcome.equals("nobody") || outcome.equals("timed_out")) {
                unanswered.add(clock.instant(), question.subject.line());
            }
            if (question.question != null) {
                behind.addAll(tellAll(new ProcessMessage.QuestionOver(question.id, outcome)));
            }
        } finally {
            lock.unlock();
        }
        behind.forEach(Attendant::dismiss);
        live.publish(
                "ask_over", () -> Json.text(Json.object().put("id", question.id).put("outcome", outcome)));
    }

    /// Requires: the lock. Answers who did not keep up.
    private List<Attendant> tellAll(ProcessMessage message) {
        return attendants.stream().filter(attendant -> !attendant.tell(message)).toList();
    }

    private static Answer.Refused nobody() {
        return new Answer.Refused(Answer.Cause.NO_APPROVER, "nobody is there to approve it", "capsem");
    }
}
