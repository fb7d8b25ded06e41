package dev.capsem.service.budgets;

import dev.capsem.events.budget.Budget;
import dev.capsem.service.budgets.BudgetAccount.Warning;
import dev.capsem.service.budgets.BudgetReservation.Held;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The sums of all budgets, and every change of them. Spent and set aside together never pass a limit, except by
/// what a person let pass and by what a call cost more than its bound. Knows no clock and no file. Not safe for
/// many threads.
final class BudgetLedger {
    /// Calls under way at one time, over all sandboxes.
    static final int RESERVATIONS_MAX = 20_000;

    private static final int PERCENT = 100;

    private final Map<String, BudgetAccount> accounts = new HashMap<>();
    private final Map<String, BudgetReservation> reservations = new HashMap<>();
    private final Map<String, Long> held = new HashMap<>();
    private Set<String> changedAccounts = new LinkedHashSet<>();
    private Set<String> changedReservations = new LinkedHashSet<>();

    /// What a call wants of one budget.
    record Wish(String account, Budget budget, long amount, long unpricedTokens) {}

    /// What there is of one budget now.
    ///
    /// @param limit as raised
    /// @param held set aside for calls under way
    record Standing(Budget budget, long limit, long spent, long held, long unpricedTokens, Optional<Instant> resets) {
        long left() {
            return Math.max(0, limit - spent - held);
        }
    }

    sealed interface Outcome {
        /// @param warnings budgets that crossed their soft limit, or their limit, with this call
        record Granted(List<Standing> warnings) implements Outcome {
            public Granted {
                warnings = List.copyOf(warnings);
            }
        }

        /// Nothing was set aside.
        ///
        /// @param wanted of the budget that has no room
        record NoRoom(Standing standing, long wanted) implements Outcome {}

        record TooMany() implements Outcome {}
    }

    /// What must be written before anybody is told of it.
    ///
    /// @param ended ids of reservations that are gone
    /// @param forgotten keys of accounts that are gone
    record Changes(
            List<BudgetAccount> accounts,
            List<BudgetReservation> reservations,
            List<String> ended,
            List<String> forgotten) {}

    /// As a file kept it. Whether a call was sent while nobody listened is not known, so each counts as sent.
    ///
    /// @param lease until when the processes of those calls may come back
    BudgetLedger(Collection<BudgetAccount> kept, Collection<BudgetReservation> open, Instant lease) {
        kept.forEach(account -> accounts.put(account.key(), account));
        for (BudgetReservation one : open) {
            reservations.put(one.id(), one.taken().leased(lease));
            one.held().forEach(part -> held.merge(heldKey(part), part.amount(), Long::sum));
        }
    }

    private static String heldKey(Held part) {
        return part.account() + "@" + part.windowStart().toEpochMilli();
    }

    /// @param isApproved whether a person lets it pass where the budget asks
    Outcome reserve(Instant now, String id, List<Wish> wishes, boolean isApproved) {
        if (reservations.containsKey(id)) {
            return new Outcome.Granted(List.of());
        }
        if (reservations.size() >= RESERVATIONS_MAX) {
            return new Outcome.TooMany();
        }
        Outcome.@Nullable NoRoom refused = null;
        for (Wish wish : wishes) {
            Standing standing = standing(now, wish.account(), wish.budget());
            boolean passes = wish.amount() <= standing.limit() - standing.spent() - standing.held()
                    || wish.budget().then() == Budget.Then.WARN
                    || (isApproved && wish.budget().then() == Budget.Then.ASK);
            // Of several the one that nobody can let pass is named.
            if (!passes && (refused == null || wish.budget().then() == Budget.Then.STOP)) {
                refused = new Outcome.NoRoom(standing, wish.amount());
            }
        }
        return refused != null ? refused : hold(now, id, wishes);
    }

    private Outcome hold(Instant now, String id, List<Wish> wishes) {
        List<Held> parts = new ArrayList<>();
        List<Standing> warnings = new ArrayList<>();
        for (Wish wish : wishes) {
            BudgetAccount account = current(now, wish.account(), wish.budget());
            Held part = new Held(wish.account(), account.windowStart(), wish.amount(), wish.unpricedTokens());
            parts.add(part);
            held.merge(heldKey(part), part.amount(), Long::sum);
            Standing standing = standing(now, wish.account(), wish.budget());
            Warning level = level(standing);
            if (level.compareTo(account.warning()) > 0) {
                put(account.warned(level));
                warnings.add(standing);
            }
        }
        put(new BudgetReservation(id, parts, false, Optional.empty()));
        return new Outcome.Granted(warnings);
    }

    private static Warning level(Standing standing) {
        long used = standing.spent() + standing.held();
        if (used > standing.limit()) {
            return Warning.OVER;
        }
        boolean isSoft = standing.budget().softPercent().isPresent()
                && (double) used * PERCENT
                        >= (double) standing.limit()
                                * standing.budget().softPercent().getAsInt();
        return isSoft ? Warning.SOFT : Warning.NONE;
    }

    /// The sums as of now: a window that ended leaves nothing behind. A clock that was set back opens none again.
    private BudgetAccount current(Instant now, String key, Budget budget) {
        Instant start = budget.window().start(now, budget.zone());
        BudgetAccount known = accounts.get(key);
        return known == null || known.windowStart().isBefore(start) ? BudgetAccount.fresh(key, start) : known;
    }

    Standing standing(Instant now, String key, Budget budget) {
        BudgetAccount account = current(now, key, budget);
        long aside =
                held.getOrDefault(account.key() + "@" + account.windowStart().toEpochMilli(), 0L);
        return new Standing(
                budget,
                budget.limit().value() + account.raised(),
                account.spent(),
                aside,
                account.unpricedTokens(),
                budget.window().end(now, budget.zone()));
    }

    /// The process has it, and may send its call.
    void taken(String id) {
        BudgetReservation known = reservations.get(id);
        if (known != null) {
            put(known.taken());
        }
    }

    /// The call is over.
    ///
    /// @param amounts by account: what it truly took
    void settle(String id, Map<String, Held> amounts) {
        BudgetReservation known = reservations.get(id);
        if (known != null) {
            for (Held part : known.held()) {
                Held real = amounts.getOrDefault(part.account(), part);
                charge(part, real.amount(), real.unpricedTokens());
            }
            end(known);
        }
    }

    /// A call that may have been sent, and of which nobody knows more, took all that was set aside for it.
    void spend(String id) {
        settle(id, Map.of());
    }

    void release(String id) {
        BudgetReservation known = reservations.get(id);
        if (known != null) {
            end(known);
        }
    }

    private void charge(Held part, long amount, long tokens) {
        BudgetAccount account = accounts.get(part.account());
        if (account == null || account.windowStart().isBefore(part.windowStart())) {
            put(BudgetAccount.fresh(part.account(), part.windowStart()).spent(amount, tokens));
        } else if (account.windowStart().equals(part.windowStart())) {
            put(account.spent(amount, tokens));
        }
    }

    /// Its process is gone, or cannot be heard.
    void orphaned(String id, Instant until) {
        BudgetReservation known = reservations.get(id);
        if (known != null && known.lease().isEmpty()) {
            put(known.leased(until));
        }
    }

    /// Ends what nobody came back for. A call that was never taken was never sent: it costs nothing.
    void expire(Instant now) {
        for (BudgetReservation one : List.copyOf(reservations.values())) {
            if (one.isExpired(now)) {
                if (one.isTaken()) {
                    spend(one.id());
                } else {
                    release(one.id());
                }
            }
        }
    }

    /// For this window.
    void raise(Instant now, String key, Budget budget, long by) {
        put(current(now, key, budget).raised(by));
    }

    /// What was spent in this window is forgotten; what is set aside stays.
    void reset(Instant now, String key, Budget budget) {
        put(BudgetAccount.fresh(key, current(now, key, budget).windowStart()));
    }

    /// Whose sums there are, of sandboxes that have their own.
    Set<String> roots() {
        return accounts.values().stream()
                .flatMap(account -> account.root().stream())
                .collect(Collectors.toSet());
    }

    /// Nobody can add to these sums any more. Where a call is under way they stay.
    void forget(Set<String> roots) {
        Set<String> busy = reservations.values().stream()
                .flatMap(one -> one.held().stream())
                .map(Held::account)
                .collect(Collectors.toSet());
        for (BudgetAccount account : List.copyOf(accounts.values())) {
            if (account.root().filter(roots::contains).isPresent() && !busy.contains(account.key())) {
                accounts.remove(account.key());
                changedAccounts.add(account.key());
            }
        }
    }

    int open() {
        return reservations.size();
    }

    boolean holds(String id) {
        return reservations.containsKey(id);
    }

    private void put(BudgetAccount account) {
        accounts.put(account.key(), account);
        changedAccounts.add(account.key());
    }

    private void put(BudgetReservation reservation) {
        reservations.put(reservation.id(), reservation);
        changedReservations.add(reservation.id());
    }

    private void end(BudgetReservation reservation) {
        reservations.remove(reservation.id());
        changedReservations.add(reservation.id());
        for (Held part : reservation.held()) {
            held.computeIfPresent(
                    heldKey(part), (_, sum) -> sum > part.amount() ? Long.valueOf(sum - part.amount()) : null);
        }
    }

    /// What changed since the last time.
    Changes changes() {
        List<BudgetAccount> now = new ArrayList<>();
        List<String> forgotten = new ArrayList<>();
        for (String key : changedAccounts) {
            BudgetAccount known = accounts.get(key);
            if (known == null) {
                forgotten.add(key);
            } else {
                now.add(known);
            }
        }
        List<BudgetReservation> open = new ArrayList<>();
        List<String> ended = new ArrayList<>();
        for (String id : changedReservations) {
            BudgetReservation known = reservations.get(id);
            if (known == null) {
                ended.add(id);
            } else {
                open.add(known);
            }
        }
        changedAccounts = new LinkedHashSet<>();
        changedReservations = new LinkedHashSet<>();
        return new Changes(now, open, ended, forgotten);
    }
}
