package dev.capsem.service.budgets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.events.budget.BudgetUnit;
import dev.capsem.events.budget.BudgetWindow;
import dev.capsem.service.budgets.BudgetLedger.Outcome;
import dev.capsem.service.budgets.BudgetLedger.Wish;
import dev.capsem.service.budgets.BudgetReservation.Held;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BudgetLedgerTest {
    private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(60);

    private final BudgetLedger ledger = new BudgetLedger(List.of(), List.of(), NOON);

    private static Budget budget(String name, long limit, BudgetWindow window, Budget.Then then) {
        return new Budget(
                name,
                Optional.empty(),
                new BudgetAmount(BudgetUnit.REQUESTS, limit),
                window,
                ZoneId.of("Europe/Berlin"),
                OptionalInt.of(80),
                then,
                Budget.Unpriced.BLOCK);
    }

    private static Wish wish(Budget budget, long amount) {
        return new Wish("p/" + budget.name(), budget, amount, 0);
    }

    private static Map<String, Held> real(Budget budget, long amount) {
        return Map.of("p/" + budget.name(), new Held("p/" + budget.name(), NOON, amount, 0));
    }

    @Test
    void refusesWhatDoesNotFitAndHoldsNothingOfIt() {
        Budget wide = budget("wide", 100, BudgetWindow.TOTAL, Budget.Then.STOP);
        Budget narrow = budget("narrow", 5, BudgetWindow.TOTAL, Budget.Then.STOP);

        Outcome first = ledger.reserve(NOON, "a", List.of(wish(wide, 6), wish(narrow, 6)), false);

        assertThat(first).isInstanceOfSatisfying(Outcome.NoRoom.class, no -> {
            assertThat(no.standing().budget().name()).isEqualTo("narrow");
            assertThat(no.wanted()).isEqualTo(6);
        });
        assertThat(ledger.standing(NOON, "p/wide", wide).held()).isZero();
        assertThat(ledger.open()).isZero();
    }

    @Test
    void forgetsTheSumsOfSandboxesThatAreGone() {
        Budget own = budget("own", 10, BudgetWindow.SESSION, Budget.Then.STOP);
        Budget run = budget("run", 10, BudgetWindow.RUN, Budget.Then.STOP);
        Budget shared = budget("shared", 10, BudgetWindow.TOTAL, Budget.Then.STOP);
        spend("1", own, "gone");
        spend("2", run, "gone@17");
        spend("3", own, "here");
        spend("4", shared, "");
        ledger.reserve(NOON, "5", List.of(of(own, "busy")), false);
        ledger.changes();

        assertThat(ledger.roots()).containsExactlyInAnyOrder("gone", "here");
        ledger.forget(Set.of("gone", "busy"));

        assertThat(ledger.changes().forgotten())
                .containsExactlyInAnyOrder(
                        of(own, "gone").account(), of(run, "gone@17").account());
        assertThat(ledger.standing(NOON, of(own, "here").account(), own).spent())
                .isEqualTo(4);
        assertThat(ledger.standing(NOON, of(shared, "").account(), shared).spent())
                .isEqualTo(4);
        ledger.spend("5");
        assertThat(ledger.standing(NOON, of(own, "busy").account(), own).spent())
                .isEqualTo(4);
    }

    private void spend(String id, Budget budget, String scope) {
        ledger.reserve(NOON, id, List.of(of(budget, scope)), false);
        ledger.spend(id);
    }

    private static Wish of(Budget budget, String scope) {
        return new Wish(BudgetAccount.key("user:mine", budget, scope), budget, 4, 0);
    }

    @Test
    void givesBackWhatACallDidNotTake() {
        Budget budget = budget("b", 10, BudgetWindow.TOTAL, Budget.Then.STOP);

        ledger.reserve(NOON, "a", List.of(wish(budget, 8)), false);
        ledger.settle("a", real(budget, 3));

        assertThat(ledger.standing(NOON, "p/b", budget).left()).isEqualTo(7);
    }

    @Test
    void countsWhatACallTookBeyondItsBound() {
        Budget budget = budget("b", 10, BudgetWindow.TOTAL, Budget.Then.STOP);

        ledger.reserve(NOON, "a", List.of(wish(budget, 2)), false);
        ledger.settle("a", real(budget, 12));

        assertThat(ledger.standing(NOON, "p/b", budget).spent()).isEqualTo(12);
        assertThat(ledger.reserve(NOON, "c", List.of(wish(budget, 1)), false)).isInstanceOf(Outcome.NoRoom.class);
    }

    @Test
    void returnsWhatWasNeverTakenAndCountsWhatMayHaveBeenSent() {
        Budget budget = budget("b", 10, BudgetWindow.TOTAL, Budget.Then.STOP);
        ledger.reserve(NOON, "sent", List.of(wish(budget, 4)), false);
        ledger.reserve(NOON, "unsent", List.of(wish(budget, 5)), false);
        ledger.taken("sent");

        ledger.orphaned("sent", NOON.plus(LEASE));
        ledger.orphaned("unsent", NOON.plus(LEASE));
        ledger.expire(NOON.plus(LEASE).minusMillis(1));
        long heldBefore = ledger.standing(NOON, "p/b", budget).held();
        ledger.expire(NOON.plus(LEASE));

        assertThat(heldBefore).isEqualTo(9);
        assertThat(ledger.standing(NOON, "p/b", budget).held()).isZero();
        assertThat(ledger.standing(NOON, "p/b", budget).spent()).isEqualTo(4);
    }

    @Test
    void keepsWhatAProcessComesBackFor() {
        Budget budget = budget("b", 10, BudgetWindow.TOTAL, Budget.Then.STOP);
        ledger.reserve(NOON, "a", List.of(wish(budget, 4)), false);

        ledger.orphaned("a", NOON.plus(LEASE));
        ledger.taken("a");
        ledger.expire(NOON.plus(LEASE));

        assertThat(ledger.holds("a")).isTrue();
    }

    @Test
    void takesEveryOpenCallForSentAfterARestart() {
        Budget budget = budget("b", 10, BudgetWindow.TOTAL, Budget.Then.STOP);
        ledger.reserve(NOON, "a", List.of(wish(budget, 4)), false);
        BudgetLedger.Changes kept = ledger.changes();

        BudgetLedger next = new BudgetLedger(kept.accounts(), kept.reservations(), NOON.plus(LEASE));
        long held = next.standing(NOON, "p/b", budget).held();
        next.expire(NOON.plus(LEASE));

        assertThat(held).isEqualTo(4);
        assertThat(next.standing(NOON, "p/b", budget).spent()).isEqualTo(4);
    }

    @Test
    void beginsAnewWithTheDayOfItsZone() {
        Budget daily = budget("d", 2, BudgetWindow.DAY, Budget.Then.STOP);
        Instant late = Instant.parse("2026-03-02T22:59:59Z");
        ledger.reserve(late, "a", List.of(wish(daily, 2)), false);
        ledger.settle("a", Map.of());

        assertThat(ledger.reserve(late, "b", List.of(wish(daily, 1)), false)).isInstanceOf(Outcome.NoRoom.class);
        assertThat(ledger.reserve(late.plusSeconds(1), "c", List.of(wish(daily, 1)), false))
                .isInstanceOf(Outcome.Granted.class);
        assertThat(ledger.standing(late.plusSeconds(1), "p/d", daily).held()).isEqualTo(1);
    }

    @Test
    void opensNoWindowAgainWhenTheClockIsSetBack() {
        Budget daily = budget("d", 2, BudgetWindow.DAY, Budget.Then.STOP);
        ledger.reserve(NOON, "a", List.of(wish(daily, 2)), false);
        ledger.settle("a", Map.of());

        assertThat(ledger.reserve(NOON.minus(Duration.ofDays(1)), "b", List.of(wish(daily, 1)), false))
                .isInstanceOf(Outcome.NoRoom.class);
    }

    @Test
    void letsAPersonPassOnlyTheBudgetsThatAsk() {
        Budget asks = budget("asks", 1, BudgetWindow.TOTAL, Budget.Then.ASK);
        Budget stops = budget("stops", 1, BudgetWindow.TOTAL, Budget.Then.STOP);

        assertThat(ledger.reserve(NOON, "a", List.of(wish(asks, 2)), true)).isInstanceOf(Outcome.Granted.class);
        assertThat(ledger.reserve(NOON, "b", List.of(wish(asks, 2), wish(stops, 2)), true))
                .isInstanceOfSatisfying(
                        Outcome.NoRoom.class,
                        no -> assertThat(no.standing().budget().name()).isEqualTo("stops"));
    }

    @Test
    void warnsOnceAtTheSoftLimitAndOnceBeyondTheLimit() {
        Budget warns = budget("w", 10, BudgetWindow.TOTAL, Budget.Then.WARN);
        List<Integer> warnings = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            Outcome outcome = ledger.reserve(NOON, "r" + i, List.of(wish(warns, 1)), false);
            warnings.add(((Outcome.Granted) outcome).warnings().size());
        }

        assertThat(warnings).containsExactly(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0);
    }

    @Test
    void hasMoreRoomWhenRaisedAndAllOfItWhenReset() {
        Budget budget = budget("b", 10, BudgetWindow.TOTAL, Budget.Then.STOP);
        ledger.reserve(NOON, "a", List.of(wish(budget, 10)), false);
        ledger.settle("a", Map.of());

        ledger.raise(NOON, "p/b", budget, 5);
        long raised = ledger.standing(NOON, "p/b", budget).left();
        ledger.reset(NOON, "p/b", budget);

        assertThat(raised).isEqualTo(5);
        assertThat(ledger.standing(NOON, "p/b", budget).left()).isEqualTo(10);
    }

    /// Whatever order calls begin, end, die and restart in: what may have been sent never passes the limit.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void neverPassesALimit(long seed) {
        Random random = new Random(seed);
        Budget small = budget("small", 40, BudgetWindow.TOTAL, Budget.Then.STOP);
        Budget large = budget("large", 90, BudgetWindow.TOTAL, Budget.Then.ASK);
        BudgetLedger now = ledger;
        Map<String, BudgetAccount> accounts = new HashMap<>();
        Map<String, BudgetReservation> open = new HashMap<>();
        Map<String, Long> sent = new HashMap<>();
        Instant at = NOON;
        for (int step = 0; step < 2_000; step++) {
            at = at.plusSeconds(random.nextInt(20));
            String id = "r" + random.nextInt(60);
            long amount = 1L + random.nextInt(7);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    if (!now.holds(id)
                            && now.reserve(at, id, List.of(wish(small, amount), wish(large, amount)), false)
                                    instanceof Outcome.Granted
                            && random.nextInt(4) > 0) {
                        now.taken(id);
                        sent.merge(id, amount, Long::sum);
                    }
                }
                case 3 -> now.spend(id);
                case 4 -> {
                    if (now.holds(id) && sent.getOrDefault(id, 0L) == 0) {
                        now.release(id);
                    }
                }
                case 5 -> now.orphaned(id, at.plus(LEASE));
                case 6 -> now.expire(at);
                default -> {
                    keep(now, accounts, open);
                    now = new BudgetLedger(accounts.values(), open.values(), at.plus(LEASE));
                }
            }
            keep(now, accounts, open);
            for (Budget budget : List.of(small, large)) {
                BudgetLedger.Standing standing = now.standing(at, "p/" + budget.name(), budget);
                assertThat(standing.spent() + standing.held())
                        .as("seed %d, step %d, %s", seed, step, budget.name())
                        .isBetween(0L, budget.limit().value());
            }
            assertThat(sent.values().stream().mapToLong(Long::longValue).sum())
                    .as("seed %d, step %d", seed, step)
                    .isLessThanOrEqualTo(40);
        }
        assertThat(sent).isNotEmpty();
    }

    private static void keep(
            BudgetLedger ledger, Map<String, BudgetAccount> accounts, Map<String, BudgetReservation> open) {
        BudgetLedger.Changes changes = ledger.changes();
        changes.accounts().forEach(account -> accounts.put(account.key(), account));
        changes.reservations().forEach(one -> open.put(one.id(), one));
        changes.ended().forEach(open::remove);
    }
}
