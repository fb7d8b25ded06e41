package dev.capsem.network.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.Correlation;
import dev.capsem.events.Finding;
import dev.capsem.events.Step;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.network.metrics.NetworkMetrics;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The judge alone: the gate says what the test wants, the desk keeps the questions.
class JudgeTest {
    private static final InetAddress INSIDE = InetAddress.ofLiteral("10.1.2.3");
    private static final InetAddress OTHER_INSIDE = InetAddress.ofLiteral("10.1.2.4");
    private static final InetAddress OUTSIDE = InetAddress.ofLiteral("8.8.8.8");
    private static final Answer YES = new Answer.Approved(Answer.Scope.ONCE, "cli");
    private static final Evaluation.Outcome PRIVATE = new Evaluation.Blocked(BlockCause.PRIVATE_ADDRESS);

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final NetworkMetrics metrics = new NetworkMetrics();
    private final List<Evaluation> told = new ArrayList<>();
    private final List<SecurityEvent> asked = new ArrayList<>();
    private final List<Evaluation> reasons = new ArrayList<>();
    private final List<CompletableFuture<Answer>> questions = new ArrayList<>();
    private int timesAsked;
    private Evaluation next = evaluation(new Evaluation.Allowed(), "a_rule");
    private boolean gateSays;
    private Optional<InetAddress> known = Optional.empty();

    private final SecurityGate gate = new SecurityGate() {
        @Override
        public Evaluation evaluate(SecurityEvent event) {
            return next;
        }

        @Override
        public boolean needsBody(SecurityEvent event) {
            return gateSays;
        }

        @Override
        public boolean needsAddress() {
            return gateSays;
        }
    };
    private final ApprovalDesk desk = (event, evaluation) -> {
        asked.add(event);
        reasons.add(evaluation);
        CompletableFuture<Answer> question = new CompletableFuture<>();
        questions.add(question);
        return question;
    };
    private final Judge judge = new Judge(gate, desk, metrics, channel.eventLoop(), () -> timesAsked++, _ -> known);

    private static Evaluation evaluation(Evaluation.Outcome outcome, String rule) {
        RuleId id = RuleId.of("http", rule);
        Step step = new Step(
                StepKind.ENFORCEMENT_MATCH,
                StepStatus.MATCHED,
                Optional.of(id.value()),
                Optional.empty(),
                Optional.empty());
        return new Evaluation(outcome, Optional.of(id), Optional.of("why"), List.of(step), List.of());
    }

    private static HttpRequest request(Optional<InetAddress> address) {
        Attribution attribution = new Attribution(
                AttributionScope.SESSION,
                OriginKind.GUEST_NETWORK,
                Optional.empty(),
                Optional.of("vm-1"),
                Optional.of("s-1"),
                Optional.of("coding"),
                Optional.empty(),
                Optional.empty());
        return new HttpRequest(
                Envelope.inline(new EventId("ev-1"), Instant.EPOCH, attribution, Correlation.NONE),
                "GET",
                "https",
                "lab.example",
                443,
                "/",
                Optional.empty(),
                Headers.NONE,
                Body.NONE,
                address);
    }

    /// What a person said yes to, about an event without or with its address.
    private Evaluation approved(Optional<InetAddress> address) {
        next = evaluation(new Evaluation.Asked(), "ask_rule");
        judge.judge(request(address), told::add);
        questions.getLast().complete(YES);
        channel.runPendingTasks();
        Evaluation first = told.removeLast();
        assertThat(first.outcome()).isInstanceOf(Evaluation.Allowed.class);
        questions.clear();
        asked.clear();
        reasons.clear();
        return first;
    }

    @Test
    void whatNeedsNoPersonIsToldAtOnceAndCounted() {
        next = evaluation(new Evaluation.Blocked(BlockCause.RULE), "b");

        judge.judge(request(Optional.empty()), told::add);

        assertThat(told).containsExactly(next);
        assertThat(asked).isEmpty();
        assertThat(metrics.snapshot().counters().values()).contains(1L);
        assertThat(judge.isAsking()).isFalse();
    }

    @Test
    void asksTheGateAboutBodiesAndAddresses() {
        for (boolean says : new boolean[] {true, false}) {
            gateSays = says;
            assertThat(judge.needsBody(request(Optional.empty()))).isEqualTo(says);
            assertThat(judge.needsAddress()).isEqualTo(says);
        }
    }

    @Test
    void aQuestionHoldsTheEventUntilAPersonHasAnswered() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        judge.judge(request(Optional.empty()), told::add);
        channel.runPendingTasks();

        assertThat(told).isEmpty();
        assertThat(timesAsked).isEqualTo(1);
        assertThat(judge.isAsking()).isTrue();
        questions.getFirst().complete(new Answer.Refused(Answer.Cause.DENIED, "no", "cli"));
        channel.runPendingTasks();
        assertThat(told)
                .singleElement()
                .satisfies(end -> assertThat(end.outcome()).isInstanceOf(Evaluation.Blocked.class));
        assertThat(judge.isAsking()).isFalse();
    }

    @Test
    void aDeskThatFailsIsANo() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        judge.judge(request(Optional.empty()), told::add);
        questions.getFirst().completeExceptionally(new IllegalStateException("broken"));
        channel.runPendingTasks();

        assertThat(told)
                .singleElement()
                .satisfies(end -> assertThat(end.outcome()).isInstanceOf(Evaluation.Blocked.class));
    }

    @Test
    void aQuestionEndsWithABlockOrWithNothing() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");
        judge.judge(request(Optional.empty()), told::add);
        judge.refuse("too late");
        channel.runPendingTasks();
        assertThat(told)
                .singleElement()
                .satisfies(end -> assertThat(end.outcome()).isInstanceOf(Evaluation.Blocked.class));

        judge.judge(request(Optional.empty()), told::add);
        judge.withdraw();
        channel.runPendingTasks();

        assertThat(questions.getLast()).isCancelled();
        assertThat(told).hasSize(1);
        assertThat(judge.isAsking()).isFalse();
    }

    @Test
    void aPersonSeesTheAddressInsideIfThisHostKnowsIt() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        known = Optional.of(INSIDE);
        judge.judge(request(Optional.empty()), told::add);
        known = Optional.of(OUTSIDE);
        judge.judge(request(Optional.empty()), told::add);
        known = Optional.of(OTHER_INSIDE);
        judge.judge(request(Optional.of(INSIDE)), told::add);
        known = Optional.empty();
        judge.judge(request(Optional.empty()), told::add);

        assertThat(asked)
                .map(event -> ((HttpRequest) event).address())
                .containsExactly(Optional.of(INSIDE), Optional.empty(), Optional.of(INSIDE), Optional.empty());
    }

    @Test
    void theSameRuleDoesNotAskTwiceAboutAPublicAddress() {
        Evaluation first = approved(Optional.empty());
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        judge.judgeAgain(request(Optional.of(OUTSIDE)), first, told::add);

        assertThat(told).singleElement().satisfies(end -> {
            assertThat(end.outcome()).isInstanceOf(Evaluation.Allowed.class);
            assertThat(end.steps()).isEmpty();
        });
        assertThat(questions).isEmpty();
    }

    @Test
    void anotherRuleAsksAgain() {
        Evaluation first = approved(Optional.empty());
        next = evaluation(new Evaluation.Asked(), "other_rule");

        judge.judgeAgain(request(Optional.of(OUTSIDE)), first, told::add);

        assertThat(told).isEmpty();
        assertThat(questions).hasSize(1);
    }

    @Test
    void aRuleThatAsksWhereNobodyAllowedIsAQuestion() {
        Evaluation blocked = evaluation(new Evaluation.Blocked(BlockCause.RULE), "ask_rule");
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        judge.judgeAgain(request(Optional.of(OUTSIDE)), blocked, told::add);

        assertThat(told).isEmpty();
        assertThat(questions).hasSize(1);
    }

    @Test
    void anApprovedNameThatLeadsInsideIsAskedAboutWithItsAddress() {
        for (Evaluation second : List.of(evaluation(new Evaluation.Asked(), "ask_rule"), evaluation(PRIVATE, "none"))) {
            Evaluation first = approved(Optional.empty());
            next = second;

            judge.judgeAgain(request(Optional.of(INSIDE)), first, told::add);

            assertThat(told).isEmpty();
            assertThat(reasons).singleElement().satisfies(question -> {
                assertThat(question.rule()).isEqualTo(first.rule());
                assertThat(question.reason().orElseThrow())
                        .isEqualTo("it leads to 10.1.2.3 (private), inside this host or its networks");
                assertThat(question.steps().isEmpty())
                        .isEqualTo(second.outcome().equals(PRIVATE));
            });
            questions.clear();
        }
    }

    @Test
    void anAddressThatAPersonHasSeenIsNotAskedAboutAgainAndAnotherIs() {
        Evaluation first = approved(Optional.of(INSIDE));
        next = evaluation(PRIVATE, "none");

        judge.judgeAgain(request(Optional.of(INSIDE)), first, told::add);
        assertThat(told)
                .singleElement()
                .satisfies(end -> assertThat(end.outcome()).isInstanceOf(Evaluation.Allowed.class));

        judge.judgeAgain(request(Optional.of(OTHER_INSIDE)), first, told::add);
        assertThat(told).hasSize(1);
        assertThat(questions).hasSize(1);
        judge.seen(OTHER_INSIDE);
        judge.judgeAgain(request(Optional.of(OTHER_INSIDE)), first, told::add);
        assertThat(told).hasSize(2);
    }

    @Test
    void aNoOpensNothingForTheNextTime() {
        Evaluation first = approved(Optional.empty());
        next = evaluation(PRIVATE, "none");
        judge.judgeAgain(request(Optional.of(INSIDE)), first, told::add);
        questions.getLast().complete(new Answer.Refused(Answer.Cause.DENIED, "no", "cli"));
        channel.runPendingTasks();
        told.clear();

        judge.judgeAgain(request(Optional.of(INSIDE)), first, told::add);

        assertThat(told).isEmpty();
        assertThat(questions).hasSize(2);
    }

    @Test
    void aRuleThatBlocksTheAddressIsObeyedWhateverAPersonSaid() {
        Evaluation first = approved(Optional.of(INSIDE));
        next = evaluation(new Evaluation.Blocked(BlockCause.RULE), "no_lab");

        judge.judgeAgain(request(Optional.of(INSIDE)), first, told::add);

        assertThat(told).containsExactly(next);
        assertThat(questions).isEmpty();
    }

    @Test
    void withoutAPersonAnAddressInsideStaysClosed() {
        Evaluation ruled = evaluation(new Evaluation.Allowed(), "allow_rule");
        Evaluation blocked = evaluation(new Evaluation.Blocked(BlockCause.RULE), "b");
        next = evaluation(PRIVATE, "none");

        judge.judgeAgain(request(Optional.of(INSIDE)), ruled, told::add);
        judge.judgeAgain(request(Optional.of(INSIDE)), blocked, told::add);

        assertThat(told).containsExactly(next, next);
        assertThat(questions).isEmpty();
    }

    @Test
    void aRewriteThatIsDoneMayFindNothingLeftToDo() {
        HttpRequest event = request(Optional.of(OUTSIDE));
        Evaluation rewritten = evaluation(new Evaluation.Rewritten(event, List.of()), "strip");
        next = evaluation(new Evaluation.Blocked(BlockCause.REWRITE_FAILED), "strip");

        judge.judgeAgain(event, rewritten, told::add);
        assertThat(told.removeLast().outcome()).isInstanceOf(Evaluation.Allowed.class);

        // Another rule's, another failure, or nothing that was rewritten: a block.
        judge.judgeAgain(event, evaluation(new Evaluation.Rewritten(event, List.of()), "other"), told::add);
        assertThat(told.removeLast()).isSameAs(next);
        judge.judgeAgain(event, evaluation(new Evaluation.Allowed(), "strip"), told::add);
        assertThat(told.removeLast()).isSameAs(next);
        next = evaluation(new Evaluation.Blocked(BlockCause.RULE), "strip");
        judge.judgeAgain(event, rewritten, told::add);
        assertThat(told.removeLast()).isSameAs(next);
    }

    private static Evaluation found(String... rules) {
        List<Finding> findings = Stream.of(rules)
                .map(rule -> new Finding(
                        "f-" + rule,
                        rule,
                        "pack",
                        Optional.empty(),
                        "title",
                        Severity.HIGH,
                        Confidence.HIGH,
                        List.of()))
                .toList();
        return new Evaluation(new Evaluation.Allowed(), Optional.empty(), Optional.empty(), List.of(), findings);
    }

    @Test
    void togetherKeepsEachFindingOnce() {
        assertThat(Judge.together(found("a", "b"), found("b", "c")).findings())
                .extracting(Finding::ruleId)
                .containsExactly("a", "b", "c");
    }

    @Test
    void togetherKeepsEachStepOnce() {
        Evaluation first = evaluation(new Evaluation.Allowed(), "a");
        Evaluation same = evaluation(new Evaluation.Allowed(), "a");
        Evaluation other = evaluation(new Evaluation.Allowed(), "b");

        assertThat(Judge.together(first, same).steps()).hasSize(1);
        assertThat(Judge.together(first, other).steps()).hasSize(2);
    }

    /// Readers of the record take the first rule among the steps for the one that decided.
    @Test
    void theStepsOfTheEvaluationThatDecidesComeFirst() {
        Evaluation allowed = evaluation(new Evaluation.Allowed(), "allow_vm");
        Evaluation blocked = evaluation(new Evaluation.Blocked(BlockCause.RULE), "private_names");

        for (Evaluation both : List.of(Judge.together(allowed, blocked), Judge.together(blocked, allowed))) {
            assertThat(both.rule()).contains(RuleId.of("http", "private_names"));
            assertThat(both.steps().getFirst().ruleId())
                    .isEqualTo(both.policyOutcome().rule());
            assertThat(both.steps()).hasSize(2);
        }
    }
}
