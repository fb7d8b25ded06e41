package dev.capsem.process.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.events.budget.BudgetClaim;
import dev.capsem.events.budget.BudgetUnit;
import dev.capsem.events.budget.CallCost;
import dev.capsem.events.budget.SpendingAnswer;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class BudgetDeskTest {
    private static final SpendingDesk.Spending DOLLAR = new SpendingDesk.Spending(
            List.of(new BudgetClaim("daily", new BudgetAmount(BudgetUnit.USD, 1_000_000), 0)), Optional.empty());

    private final List<String> warnings = new ArrayList<>();
    private final BudgetDesk desk = new BudgetDesk(() -> SessionBudgets.NONE, "p", warnings::add);

    /// Everything that waits to be sent, as if it were sent now.
    private static List<ProcessMessage> sent(BudgetDesk.Keeper keeper) {
        List<ProcessMessage> messages = new CopyOnWriteArrayList<>();
        Thread serving = Thread.ofVirtual().start(() -> {
            try {
                keeper.serve(messages::add);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            Thread.sleep(50);
            serving.interrupt();
            serving.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return messages;
    }

    @Test
    void withoutAKeeperNothingPasses() {
        SpendingAnswer answer = desk.reserve(DOLLAR, false).join();

        assertThat(answer)
                .isInstanceOfSatisfying(
                        SpendingAnswer.Refused.class,
                        refused -> assertThat(refused.reason()).contains("does not answer"));
    }

    @Test
    void aCallPassesOnlyAfterTheServiceWasToldThatItMay() {
        BudgetDesk.Keeper keeper = desk.keep();
        CompletableFuture<SpendingAnswer> answer = desk.reserve(DOLLAR, false);
        List<ProcessMessage> asked = sent(keeper);

        desk.replied(new ServiceMessage.BudgetGranted("p-1", Optional.of("nearly spent")));
        boolean isDoneBefore = answer.isDone();
        List<ProcessMessage> told = sent(keeper);

        assertThat(asked)
                .containsExactly(new ProcessMessage.Reserve(
                        "p-1", List.of(new ProcessMessage.Claim("daily", "usd", 1_000_000, 0)), false));
        assertThat(isDoneBefore).isFalse();
        assertThat(told).containsExactly(new ProcessMessage.Took("p-1"));
        assertThat(answer.join()).isInstanceOf(SpendingAnswer.Granted.class);
        assertThat(warnings).containsExactly("nearly spent");
    }

    @Test
    void settlesOnceWithWhatTheCallCameTo() {
        BudgetDesk.Keeper keeper = desk.keep();
        SpendingAnswer.Granted granted = granted(keeper, "p-1");

        granted.hold().settle(new CallCost(10, OptionalLong.of(77)));
        granted.hold().release();

        assertThat(sent(keeper))
                .containsExactly(
                        new ProcessMessage.Settle("p-1", List.of(new ProcessMessage.Claim("daily", "usd", 77, 0))));
    }

    private SpendingAnswer.Granted granted(BudgetDesk.Keeper keeper, String id) {
        CompletableFuture<SpendingAnswer> answer = desk.reserve(DOLLAR, false);
        desk.replied(new ServiceMessage.BudgetGranted(id, Optional.empty()));
        sent(keeper);
        return (SpendingAnswer.Granted) answer.join();
    }

    @Test
    void refusesWhoWaitsWhenTheKeeperIsLostAndTellsTheNextOne() {
        BudgetDesk.Keeper lost = desk.keep();
        SpendingAnswer.Granted held = granted(lost, "p-1");
        SpendingAnswer.Granted over = granted(lost, "p-2");
        over.hold().settle(new CallCost(10, OptionalLong.of(5)));
        CompletableFuture<SpendingAnswer> waiting = desk.reserve(DOLLAR, false);

        lost.close();
        BudgetDesk.Keeper next = desk.keep();

        assertThat(waiting.join()).isInstanceOf(SpendingAnswer.Refused.class);
        assertThat(sent(next))
                .containsExactly(
                        new ProcessMessage.Took("p-1"),
                        new ProcessMessage.Settle("p-2", List.of(new ProcessMessage.Claim("daily", "usd", 5, 0))),
                        new ProcessMessage.Unspent("p-3"));
        desk.replied(new ServiceMessage.BudgetNoted("p-2"));
        held.hold().spend();
        assertThat(sent(next))
                .containsExactly(new ProcessMessage.Settle(
                        "p-1", List.of(new ProcessMessage.Claim("daily", "usd", 1_000_000, 0))));
    }

    @Test
    void tellsWhyThereIsNoRoom() {
        BudgetDesk.Keeper keeper = desk.keep();
        CompletableFuture<SpendingAnswer> answer = desk.reserve(DOLLAR, false);

        desk.replied(new ServiceMessage.BudgetDenied(
                "p-1", Optional.of("daily"), "no room", "raise it", true, OptionalLong.of(5_000)));

        assertThat(answer.join()).isInstanceOfSatisfying(SpendingAnswer.Refused.class, refused -> {
            assertThat(refused.asks()).isTrue();
            assertThat(refused.until().orElseThrow().toSeconds()).isEqualTo(5);
        });
        assertThat(sent(keeper)).hasSize(1);
    }
}
