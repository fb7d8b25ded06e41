package dev.capsem.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Answer;
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
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The judge alone: the gate says what the test wants.
class JudgeTest {
    private static final InetAddress INSIDE = InetAddress.ofLiteral("10.1.2.3");
    private static final InetAddress OTHER_INSIDE = InetAddress.ofLiteral("10.1.2.4");
    private static final InetAddress OUTSIDE = InetAddress.ofLiteral("8.8.8.8");
    private static final Answer YES = new Answer.Approved(Answer.Scope.ONCE, "cli");
    private static final Answer NO = new Answer.Refused(Answer.Cause.DENIED, "no", "cli");
    private static final Evaluation.Outcome PRIVATE = new Evaluation.Blocked(BlockCause.PRIVATE_ADDRESS);

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
    private final Judge judge = new Judge(gate, _ -> known);

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

    private static HttpRequest request() {
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
                Body.NONE);
    }

    private static HttpRequest request(InetAddress address) {
        return request().withAddress(address);
    }

    private static Evaluation settled(Judge.Ruling ruling) {
        assertThat(ruling).isInstanceOf(Judge.Ruling.Settled.class);
        return ((Judge.Ruling.Settled) ruling).evaluation();
    }

    private static Judge.Ruling.Asks asks(Judge.Ruling ruling) {
        assertThat(ruling).isInstanceOf(Judge.Ruling.Asks.class);
        return (Judge.Ruling.Asks) ruling;
    }

    /// What a person said yes to, about an event without or with its address.
    private Evaluation approved(HttpRequest event) {
        next = evaluation(new Evaluation.Asked(), "ask_rule");
        Judge.Ruling.Asks _ = asks(judge.judge(event));
        Evaluation first = judge.answered(YES);
        assertThat(first.outcome()).isInstanceOf(Evaluation.Allowed.class);
        return first;
    }

    @Test
    void settlesWhatNeedsNoPerson() {
        next = evaluation(new Evaluation.Blocked(BlockCause.RULE), "b");

        assertThat(settled(judge.judge(request()))).isSameAs(next);
        assertThat(judge.isAsking()).isFalse();
    }

    @Test
    void asksTheGateAboutBodiesAndAddresses() {
        for (boolean says : new boolean[] {true, false}) {
            gateSays = says;
            assertThat(judge.needsBody(request())).isEqualTo(says);
            assertThat(judge.needsAddress()).isEqualTo(says);
        }
    }

    @Test
    void holdsAnEventUntilAPersonHasAnswered() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        Judge.Ruling.Asks question = asks(judge.judge(request()));

        assertThat(question.question()).isSameAs(next);
        assertThat(judge.isAsking()).isTrue();
        assertThat(judge.answered(NO).outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.NOT_APPROVED));
        assertThat(judge.isAsking()).isFalse();
    }

    @Test
    void aQuestionThatCannotBeAskedIsABlock() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");
        Judge.Ruling.Asks _ = asks(judge.judge(request()));

        Evaluation refused = judge.refused(Answer.Cause.NO_APPROVER, "nobody is there");

        assertThat(refused.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.NOT_APPROVED));
        assertThat(refused.reason()).contains("nobody is there");
        assertThat(judge.isAsking()).isFalse();
    }

    @Test
    void hasOneQuestionAtATimeAndOneAnswerToEach() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");
        assertThatThrownBy(() -> judge.answered(YES)).isInstanceOf(IllegalStateException.class);
        Judge.Ruling.Asks _ = asks(judge.judge(request()));

        assertThatThrownBy(() -> judge.judge(request())).isInstanceOf(IllegalStateException.class);

        Evaluation _ = judge.answered(YES);
        assertThatThrownBy(() -> judge.answered(YES)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatCannotWaitIsRefusedInsteadOfAsked() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        Evaluation atOnce = judge.judgeAtOnce(request(), "it cannot wait");

        assertThat(atOnce.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.NOT_APPROVED));
        assertThat(atOnce.reason()).contains("it cannot wait");
        assertThat(judge.isAsking()).isFalse();
        next = evaluation(new Evaluation.Allowed(), "a");
        assertThat(judge.judgeAtOnce(request(), "it cannot wait")).isSameAs(next);
    }

    @Test
    void aPersonSeesTheAddressInsideIfThisHostKnowsIt() {
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        known = Optional.of(INSIDE);
        assertThat(shown(request())).contains(INSIDE);
        known = Optional.of(OUTSIDE);
        assertThat(shown(request())).isEmpty();
        known = Optional.of(OTHER_INSIDE);
        assertThat(shown(request(INSIDE))).contains(INSIDE);
        known = Optional.empty();
        assertThat(shown(request())).isEmpty();
    }

    private Optional<InetAddress> shown(HttpRequest event) {
        HttpRequest shown = (HttpRequest) asks(judge.judge(event)).event();
        Evaluation _ = judge.answered(NO);
        return shown.address();
    }

    @Test
    void theSameRuleDoesNotAskTwiceAboutAPublicAddress() {
        Evaluation first = approved(request());
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        Evaluation second = settled(judge.judgeAgain(request(OUTSIDE), first));

        assertThat(second.outcome()).isInstanceOf(Evaluation.Allowed.class);
        assertThat(second.steps()).isEmpty();
    }

    @Test
    void anotherRuleAsksAgain() {
        Evaluation first = approved(request());
        next = evaluation(new Evaluation.Asked(), "other_rule");

        assertThat(asks(judge.judgeAgain(request(OUTSIDE), first)).question()).isSameAs(next);
    }

    @Test
    void aRuleThatAsksWhereNobodyAllowedIsAQuestion() {
        Evaluation blocked = evaluation(new Evaluation.Blocked(BlockCause.RULE), "ask_rule");
        next = evaluation(new Evaluation.Asked(), "ask_rule");

        assertThat(asks(judge.judgeAgain(request(OUTSIDE), blocked)).question()).isSameAs(next);
    }

    @Test
    void anApprovedNameThatLeadsInsideIsAskedAboutWithItsAddress() {
        for (Evaluation second : List.of(evaluation(new Evaluation.Asked(), "ask_rule"), evaluation(PRIVATE, "none"))) {
            Evaluation first = approved(request());
            next = second;

            Evaluation question = asks(judge.judgeAgain(request(INSIDE), first)).question();

            assertThat(question.rule()).isEqualTo(first.rule());
            assertThat(question.reason()).contains("it leads to 10.1.2.3 (private), inside this host or its networks");
            assertThat(question.steps().isEmpty()).isEqualTo(second.outcome().equals(PRIVATE));
            Evaluation _ = judge.answered(NO);
        }
    }

    @Test
    void anAddressThatAPersonHasSeenIsNotAskedAboutAgainAndAnotherIs() {
        Evaluation first = approved(request(INSIDE));
        next = evaluation(PRIVATE, "none");

        assertThat(settled(judge.judgeAgain(request(INSIDE), first)).outcome()).isInstanceOf(Evaluation.Allowed.class);
        Judge.Ruling.Asks _ = asks(judge.judgeAgain(request(OTHER_INSIDE), first));
        Evaluation _ = judge.answered(NO);
        judge.seen(OTHER_INSIDE);
        assertThat(settled(judge.judgeAgain(request(OTHER_INSIDE), first)).outcome())
                .isInstanceOf(Evaluation.Allowed.class);
    }

    @Test
    void aNoOpensNothingForTheNextTime() {
        Evaluation first = approved(request());
        next = evaluation(PRIVATE, "none");
        Judge.Ruling.Asks _ = asks(judge.judgeAgain(request(INSIDE), first));
        Evaluation _ = judge.answered(NO);

        assertThat(judge.judgeAgain(request(INSIDE), first)).isInstanceOf(Judge.Ruling.Asks.class);
    }

    @Test
    void aRuleThatBlocksTheAddressIsObeyedWhateverAPersonSaid() {
        Evaluation first = approved(request(INSIDE));
        next = evaluation(new Evaluation.Blocked(BlockCause.RULE), "no_lab");

        assertThat(settled(judge.judgeAgain(request(INSIDE), first))).isSameAs(next);
    }

    @Test
    void withoutAPersonAnAddressInsideStaysClosed() {
        Evaluation ruled = evaluation(new Evaluation.Allowed(), "allow_rule");
        Evaluation blocked = evaluation(new Evaluation.Blocked(BlockCause.RULE), "b");
        next = evaluation(PRIVATE, "none");

        assertThat(settled(judge.judgeAgain(request(INSIDE), ruled))).isSameAs(next);
        assertThat(settled(judge.judgeAgain(request(INSIDE), blocked))).isSameAs(next);
    }

    @Test
    void aRewriteThatIsDoneMayFindNothingLeftToDo() {
        HttpRequest event = request(OUTSIDE);
        Evaluation rewritten = evaluation(new Evaluation.Rewritten(event, List.of()), "strip");
        next = evaluation(new Evaluation.Blocked(BlockCause.REWRITE_FAILED), "strip");

        assertThat(settled(judge.judgeAgain(event, rewritten)).outcome()).isInstanceOf(Evaluation.Allowed.class);

        // Another rule's, another failure, or nothing that was rewritten: a block.
        Evaluation byAnother = evaluation(new Evaluation.Rewritten(event, List.of()), "other");
        assertThat(settled(judge.judgeAgain(event, byAnother))).isSameAs(next);
        Evaluation allowed = evaluation(new Evaluation.Allowed(), "strip");
        assertThat(settled(judge.judgeAgain(event, allowed))).isSameAs(next);
        next = evaluation(new Evaluation.Blocked(BlockCause.RULE), "strip");
        assertThat(settled(judge.judgeAgain(event, rewritten))).isSameAs(next);
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
