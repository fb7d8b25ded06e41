package dev.capsem.process.approve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.process.record.LiveEvents;
import dev.capsem.process.record.Recorders;
import dev.capsem.security.explain.DecisionExplanation.Remedy;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class ApprovalQueueTest {
    private static final Evaluation ASKED = new Evaluation(
            new Evaluation.Asked(),
            Optional.of(new RuleId("security.rules.http.unknown")),
            Optional.of("unknown host"),
            List.of(),
            List.of());

    private final TaskScope scope = new TaskScope("test", (thread, failure) -> {});
    private final LiveEvents live = new LiveEvents(text -> text);
    private final AtomicBoolean waits = new AtomicBoolean();
    private final ApprovalQueue desk = desk(Duration.ofMinutes(5));

    @AfterEach
    void end() {
        scope.close();
    }

    @Test
    void refusesAtOnceWhenNobodyAttends() {
        assertThat(desk.ask(get("a.example"), ASKED))
                .isCompletedWithValueMatching(answer -> cause(answer).equals(Optional.of(Answer.Cause.NO_APPROVER)));
        assertThat(desk.waiting()).isZero();
    }

    @Test
    void whatNobodyWatchesIsRefusedWithAWayOut() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);
        ProcessMessage.Question question = question(attendant);
        assertThat(question.waits()).isFalse();

        desk.unwatched("q-unknown");
        desk.unwatched(question.id());

        Answer.Refused refused = (Answer.Refused) answer.join();
        assertThat(refused.cause()).isEqualTo(Answer.Cause.NO_APPROVER);
        assertThat(refused.reason()).contains("nobody is there to answer", "`capsem approvals --watch`", "[approvals]");
        assertThat(ASKED.answered(refused).policyOutcome())
                .returns(Optional.of("ask"), PolicyOutcome::action)
                .returns(Optional.of("nobody"), PolicyOutcome::outcome);
        assertThat(attendant.next()).contains(new ProcessMessage.QuestionOver(question.id(), "nobody"));
        assertThat(desk.waiting()).isZero();
        waits.set(true);
        CompletableFuture<Answer> _ = desk.ask(get("b.example"), ASKED);
        assertThat(desk.unanswered(Recorders.CLOCK.instant()))
                .containsExactly("GET https://a.example/p", "GET https://b.example/p");
        assertThat(desk.unanswered(Recorders.CLOCK.instant().plusSeconds(1)))
                .containsExactly("GET https://b.example/p");
        assertThat(question(attendant).waits()).isTrue();
    }

    @Test
    void holdsTheQuestionUntilItIsAnswered() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        LiveEvents.Watcher watcher = live.watch();

        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);
        ProcessMessage.Question question = question(attendant);

        assertThat(question.subject()).isEqualTo("GET https://a.example/p");
        assertThat(question.rule()).isEqualTo("security.rules.http.unknown");
        assertThat(question.suggestion()).contains("a rule for a.example");
        assertThat(question.covers().once()).startsWith("this one, and exact repetitions");
        assertThat(question.covers().session()).startsWith("every GET https://a.example, whatever its path");
        assertThat(question.covers().always().orElseThrow()).startsWith("every http.request with host is a.example,");
        assertThat(question.deadlineMillis() - question.askedAtMillis()).isEqualTo(300_000);
        assertThat(watcher.next().orElseThrow().kind()).isEqualTo("ask");
        assertThat(answer).isNotDone();
        desk.reply(new ServiceMessage.Reply(question.id(), true, "once", "cli me"));
        assertThat(answer).isCompletedWithValue(new Answer.Approved(Answer.Scope.ONCE, "cli me"));
        assertThat(attendant.next()).contains(new ProcessMessage.QuestionOver(question.id(), "approved"));
        assertThat(desk.ask(get("a.example"), ASKED)).isNotDone();
    }

    @Test
    void refusesWhatAPersonDenies() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);

        desk.reply(new ServiceMessage.Reply(question(attendant).id(), false, "session", "me"));

        assertThat(cause(answer.join())).contains(Answer.Cause.DENIED);
        assertThat(desk.ask(get("a.example"), ASKED)).isNotDone();
    }

    @Test
    void refusesAnApprovalOfUnknownScope() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);

        desk.reply(new ServiceMessage.Reply(question(attendant).id(), true, "forever", "me"));

        assertThat(cause(answer.join())).contains(Answer.Cause.DENIED);
    }

    @Test
    void anApprovalForTheSessionCoversTheSameQuestionOnly() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        CompletableFuture<Answer> first = desk.ask(get("a.example"), ASKED);
        String id = question(attendant).id();
        CompletableFuture<Answer> same = desk.ask(get("a.example"), ASKED);
        CompletableFuture<Answer> other = desk.ask(get("b.example"), ASKED);

        desk.reply(new ServiceMessage.Reply(id, true, "session", "me"));

        assertThat(first).isCompletedWithValue(new Answer.Approved(Answer.Scope.SESSION, "me"));
        assertThat(same).isCompletedWithValue(new Answer.Approved(Answer.Scope.SESSION, "me"));
        assertThat(other).isNotDone();
        assertThat(desk.ask(get("a.example"), ASKED)).isCompleted();
        Evaluation otherRule = new Evaluation(
                new Evaluation.Asked(),
                Optional.of(new RuleId("security.rules.http.other")),
                Optional.empty(),
                List.of(),
                List.of());
        assertThat(desk.ask(get("a.example"), otherRule)).isNotDone();
    }

    /// That is how a tool that changed is asked about.
    @Test
    void aQuestionOfNoRuleIsAnsweredForOnceWhateverWasSaid() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        Evaluation change = new Evaluation(
                new Evaluation.Asked(), Optional.empty(), Optional.of("the tool changed"), List.of(), List.of());
        CompletableFuture<Answer> first = desk.ask(get("a.example"), change);
        ProcessMessage.Question question = question(attendant);
        CompletableFuture<Answer> second = desk.ask(get("a.example"), change);

        desk.reply(new ServiceMessage.Reply(question.id(), true, "session", "me"));

        assertThat(question.rule()).isEqualTo("capsem.tool_pins");
        assertThat(question.suggestion()).isEmpty();
        assertThat(first).isCompletedWithValue(new Answer.Approved(Answer.Scope.ONCE, "me"));
        assertThat(second).isNotDone();
        assertThat(desk.ask(get("a.example"), change)).isNotDone();
    }

    @Test
    void anAnswerThatComesTooLateChangesNothing() throws InterruptedException {
        // Long enough to be announced on a busy machine.
        ApprovalQueue hasty = desk(Duration.ofSeconds(2));
        ApprovalQueue.Attendant attendant = hasty.attend();
        CompletableFuture<Answer> answer = hasty.ask(get("a.example"), ASKED);
        String id = question(attendant).id();

        assertThat(cause(answer.join())).contains(Answer.Cause.TIMED_OUT);
        assertThat(attendant.next()).contains(new ProcessMessage.QuestionOver(id, "timed_out"));
        hasty.reply(new ServiceMessage.Reply(id, true, "session", "me"));

        assertThat(cause(answer.join())).contains(Answer.Cause.TIMED_OUT);
        assertThat(cause(hasty.ask(get("a.example"), ASKED).join())).contains(Answer.Cause.TIMED_OUT);
    }

    @Test
    void refusesEverythingWhenTheLastAttendantLeaves() {
        ApprovalQueue.Attendant one = desk.attend();
        ApprovalQueue.Attendant two = desk.attend();
        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);

        one.close();
        assertThat(answer).isNotDone();
        two.close();

        assertThat(cause(answer.join())).contains(Answer.Cause.NO_APPROVER);
        assertThat(cause(desk.ask(get("a.example"), ASKED).join())).contains(Answer.Cause.NO_APPROVER);
    }

    @Test
    void tellsALaterAttendantWhatWaits() throws InterruptedException {
        ApprovalQueue.Attendant one = desk.attend();
        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);
        ProcessMessage.Question question = question(one);

        assertThat(desk.attend().next()).contains(question);
        assertThat(answer).isNotDone();
    }

    @Test
    void aWithdrawnQuestionIsOver() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);
        String id = question(attendant).id();

        answer.cancel(false);

        assertThat(attendant.next()).contains(new ProcessMessage.QuestionOver(id, "withdrawn"));
        assertThat(desk.waiting()).isZero();
    }

    /// A client that tries again, or ten that want the same, are one question; another body is another question.
    @Test
    void exactRepetitionsAreOneQuestion() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        List<CompletableFuture<Answer>> same = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            same.add(desk.ask(get("a.example"), ASKED));
        }
        CompletableFuture<Answer> other = desk.ask(get("a.example").withBody(Body.of("x")), ASKED);
        assertThat(desk.waiting()).isEqualTo(2);
        ProcessMessage.Question one = question(attendant);
        String id = one.details().isEmpty() ? one.id() : question(attendant).id();

        same.getFirst().cancel(false);
        assertThat(desk.waiting()).as("the others wait on").isEqualTo(2);
        desk.reply(new ServiceMessage.Reply(id, true, "once", "me"));

        assertThat(same.subList(1, 50))
                .allSatisfy(answer ->
                        assertThat(answer).isCompletedWithValue(new Answer.Approved(Answer.Scope.ONCE, "me")));
        assertThat(other).isNotDone();
        assertThat(desk.ask(get("a.example"), ASKED)).as("asked anew").isNotDone();
    }

    @Test
    void aQuestionOfManyIsWithdrawnWhenTheLastOneLeaves() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        CompletableFuture<Answer> one = desk.ask(get("a.example"), ASKED);
        CompletableFuture<Answer> two = desk.ask(get("a.example"), ASKED);
        String id = question(attendant).id();

        one.cancel(false);
        assertThat(two).isNotDone();
        two.cancel(false);

        assertThat(attendant.next()).contains(new ProcessMessage.QuestionOver(id, "withdrawn"));
        assertThat(desk.waiting()).isZero();
    }

    @Test
    void refusesOneQuestionTooMany() {
        ApprovalQueue.Attendant _ = desk.attend();
        for (int i = 0; i < ApprovalQueue.PENDING_MAX; i++) {
            assertThat(desk.ask(get("h" + i + ".example"), ASKED)).isNotDone();
        }

        assertThat(cause(desk.ask(get("one.more"), ASKED).join())).contains(Answer.Cause.QUEUE_FULL);
    }

    @Test
    void anAttendantThatReadsNothingDoesNotAttend() throws InterruptedException {
        ApprovalQueue.Attendant idle = desk.attend();
        ApprovalQueue.Attendant diligent = desk.attend();
        for (int i = 0; i < ApprovalQueue.UNREAD_MAX; i++) {
            CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);
            desk.reply(new ServiceMessage.Reply(question(diligent).id(), false, "once", "me"));
            answer.join();
            diligent.next();
        }

        assertThat(idle.next()).isEmpty();
        diligent.close();
        assertThat(cause(desk.ask(get("a.example"), ASKED).join())).contains(Answer.Cause.NO_APPROVER);
    }

    @Test
    void aClosedDeskRefuses() {
        ApprovalQueue.Attendant _ = desk.attend();
        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);

        desk.close();

        assertThat(cause(answer.join())).contains(Answer.Cause.NO_APPROVER);
        assertThat(cause(desk.ask(get("a.example"), ASKED).join())).contains(Answer.Cause.NO_APPROVER);
    }

    /// Whoever attends would otherwise keep the process from ending.
    @Test
    void attendantsHearTheEndOfAClosedDesk() throws InterruptedException {
        ApprovalQueue.Attendant attendant = desk.attend();
        CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);
        String id = question(attendant).id();

        desk.close();

        assertThat(cause(answer.join())).contains(Answer.Cause.NO_APPROVER);
        assertThat(attendant.next()).contains(new ProcessMessage.QuestionOver(id, "nobody"));
        assertThat(attendant.next()).isEmpty();
        assertThat(desk.attend().next()).isEmpty();
    }

    @Test
    void aSubjectShowsNoQueryAndNothingThatMovesTheCursor() {
        HttpRequest request = get("a.example").withQuery(Optional.of("token=1"));

        assertThat(ApprovalSubject.of(request, Set.of()).line()).isEqualTo("GET https://a.example/p");
        assertThat(new ApprovalSubject(List.of(), "a\u001b[2Jb\u202ec\n", Optional.empty(), List.of(), "").line())
                .isEqualTo("a [2Jb c ");
        assertThat(new ApprovalSubject(List.of(), "x".repeat(1_000), Optional.empty(), List.of(), "").line())
                .hasSizeLessThan(390)
                .contains("…");
    }

    private ApprovalQueue desk(Duration waitMax) {
        return new ApprovalQueue(
                Recorders.CLOCK,
                new Patience(waitMax, waits::get),
                new ApprovalQueue.Foresight(
                        ApprovalQueueTest::remedy,
                        host -> Optional.of(InetAddress.ofLiteral("127.0.0.1")),
                        rule -> Optional.of(Set.of("http.request.host"))),
                live,
                scope);
    }

    private static Remedy remedy(SecurityEvent event, Optional<RuleId> decider) {
        HttpRequest request = (HttpRequest) event;
        String where = request.addressClass().map(name -> ", " + name).orElse("");
        return new Remedy.AddRule(
                RuleId.of("http", "x"), "a rule for " + request.host() + where, "host is " + request.host());
    }

    @Test
    void beforeAnAlwaysTheRuleIsMadeForWhereTheNameLeads() throws InterruptedException {
        try (ApprovalQueue desk = desk(Duration.ofMinutes(1));
                ApprovalQueue.Attendant attendant = desk.attend()) {
            CompletableFuture<Answer> answer = desk.ask(get("a.example"), ASKED);
            ProcessMessage.Question asked = question(attendant);
            assertThat(asked.suggestion()).contains("a rule for a.example");

            desk.prepare("q-unknown");
            desk.prepare(asked.id());

            assertThat(attendant.next())
                    .contains(new ProcessMessage.Prepared(
                            asked.id(),
                            Optional.of("a rule for a.example, loopback"),
                            Optional.empty(),
                            Optional.of("127.0.0.1 (loopback)"),
                            Optional.of("every http.request with host is a.example, in every sandbox of this profile,"
                                    + " until you remove the rule")));
            assertThat(answer).isNotDone();
        }
    }

    private static ProcessMessage.Question question(ApprovalQueue.Attendant attendant) throws InterruptedException {
        return (ProcessMessage.Question) attendant.next().orElseThrow();
    }

    private static Optional<Answer.Cause> cause(Answer answer) {
        return answer instanceof Answer.Refused refused ? Optional.of(refused.cause()) : Optional.empty();
    }

    private static HttpRequest get(String host) {
        return new HttpRequest(
                Envelope.inline(new EventId("ev-1"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE),
                "GET",
                "https",
                host,
                443,
                "/p",
                Optional.empty(),
                Headers.of(),
                Body.NONE);
    }
}
