package dev.capsem.exchange.http.budget;

import dev.capsem.events.budget.CallCost;
import dev.capsem.events.budget.SpendingAnswer;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.budget.SpendingHold;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.util.List;
import java.util.Optional;

/// The spending of one exchange. What was set aside for it is settled or given back exactly once, however it ends.
public final class CallSpending {
    private final SpendingDesk desk;
    private Optional<ModelTap> tap = Optional.empty();
    private Optional<SecurityEvent.ModelRequest> model = Optional.empty();
    private Optional<SpendingDesk.Spending> wanted = Optional.empty();
    private Optional<SpendingHold> hold = Optional.empty();
    private Optional<SpendingAnswer.Refused> refusal = Optional.empty();
    private boolean isSent;
    private boolean isSettled;

    public CallSpending(SpendingDesk desk) {
        this.desk = desk;
    }

    /// Whether a budget must be asked before this request leaves. One that holds what it needs is not asked again.
    ///
    /// @param asked present with its tap if the request asks a model
    public boolean mustAsk(
            SecurityEvent.HttpRequest request, Optional<ModelTap> reader, Optional<SecurityEvent.ModelRequest> asked) {
        if (hold.isPresent()) {
            return false;
        }
        tap = reader;
        model = asked;
        wanted = desk.spending(
                request,
                asked.map(call -> new SpendingDesk.ModelCall(
                        call, () -> reader.orElseThrow().bound())));
        return wanted.isPresent();
    }

    /// Requires: [#mustAsk] said so.
    public SpendingDesk.Spending wanted() {
        return wanted.orElseThrow();
    }

    /// Why it is refused before anybody is asked.
    public Optional<SpendingAnswer.Refused> obstacle() {
        return wanted.flatMap(SpendingDesk.Spending::obstacle);
    }

    public void granted(SpendingHold held) {
        hold = Optional.of(held);
        refusal = Optional.empty();
    }

    /// @return a block, or a question to a person
    public Evaluation refused(SpendingAnswer.Refused refused) {
        refusal = Optional.of(refused);
        Step step = new Step(
                StepKind.ENFORCEMENT_MATCH,
                StepStatus.APPLIED,
                Optional.empty(),
                Optional.empty(),
                Optional.of(BlockCause.BUDGET_EXCEEDED.wireName() + ": " + refused.reason()));
        return new Evaluation(
                refused.asks() ? new Evaluation.Asked() : new Evaluation.Blocked(BlockCause.BUDGET_EXCEEDED),
                Optional.empty(),
                Optional.of(refused.reason()),
                List.of(step),
                List.of());
    }

    /// The answer to a request that was refused for its cost; none if something else refused it.
    public Optional<ProviderError> answer() {
        return refusal.map(why -> ProviderError.of(why, model.map(SecurityEvent.ModelRequest::apiFamily)));
    }

    /// From now on it counts as spent, unless its answer says less.
    public void leaves() {
        isSent = true;
    }

    /// The exchange is over. Doing it twice changes nothing.
    public void settle() {
        if (hold.isEmpty() || isSettled) {
            return;
        }
        isSettled = true;
        SpendingHold held = hold.get();
        if (!isSent) {
            held.release();
            return;
        }
        Optional<CallCost> cost = tap.isPresent() ? tap.get().spent() : Optional.of(CallCost.NOTHING);
        cost.ifPresentOrElse(held::settle, held::spend);
    }
}
