package dev.capsem.service.budgets;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.service.budgets.BudgetLedger.Outcome;
import dev.capsem.service.budgets.BudgetLedger.Standing;
import dev.capsem.service.budgets.BudgetLedger.Wish;
import dev.capsem.service.budgets.BudgetReservation.Held;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.SessionBudgetFile;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.table.Sandbox;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.budget.BudgetDatabase;
import dev.capsem.telemetry.budget.BudgetDatabase.AccountRow;
import dev.capsem.telemetry.budget.BudgetDatabase.HeldRow;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The budgets of all sandboxes of this home, on file before anybody is told of a change. What cannot be written did
/// not happen. Safe for many threads.
public final class BudgetBook {
    private static final Logger LOG = LoggerFactory.getLogger(BudgetBook.class);

    /// How long a process that cannot be heard may come back for its calls.
    public static final Duration LEASE = Duration.ofSeconds(60);

    private final BudgetDatabase database;
    private final SessionPolicy policy;
    private final InstantSource clock;
    private final Duration lease;

    /// What the file says; none after it could not be written, until it is read again. Guarded by this object.
    private @Nullable BudgetLedger ledger;

    public BudgetBook(BudgetDatabase database, SessionPolicy policy, InstantSource clock, Duration lease) {
        this.database = database;
        this.policy = policy;
        this.clock = clock;
        this.lease = lease;
    }

    // ---------------------------------------------------------------- calls

    ServiceMessage.BudgetReply reserve(Sandbox sandbox, ProcessMessage.Reserve wish) {
        try {
            Map<String, SessionBudget> budgets = of(sandbox);
            List<Wish> wishes = new ArrayList<>();
            for (ProcessMessage.Claim claim : wish.claims()) {
                SessionBudget known = budgets.get(claim.budget());
                if (known == null || !known.budget().limit().unit().wireName().equals(claim.unit())) {
                    return denied(wish.id(), "the budget " + claim.budget() + " was just changed", "try again");
                }
                wishes.add(new Wish(
                        known.account(),
                        known.budget(),
                        Math.clamp(claim.amount(), 0, BudgetAmount.VALUE_MAX),
                        Math.clamp(claim.unpricedTokens(), 0, BudgetAmount.VALUE_MAX)));
            }
            Instant now = clock.instant();
            return reply(sandbox, wish.id(), change(book -> {
                book.expire(now);
                return book.reserve(now, wish.id(), wishes, wish.approved());
            }));
        } catch (ServiceProblem | TelemetryException | ProfileException | UncheckedIOException e) {
            LOG.error("a budget cannot be kept", e);
            return denied(
                    wish.id(), "the budget of this sandbox cannot be kept: " + e.getMessage(), "see `capsem status`");
        }
    }

    private static ServiceMessage.BudgetDenied denied(String id, String reason, String remedy) {
        return new ServiceMessage.BudgetDenied(id, Optional.empty(), reason, remedy, false, OptionalLong.of(0));
    }

    private ServiceMessage.BudgetReply reply(Sandbox sandbox, String id, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Granted(List<Standing> warnings) -> {
                warnings.forEach(standing -> LOG.warn("{}: {}", sandbox.id(), BudgetText.warning(standing)));
                yield new ServiceMessage.BudgetGranted(
                        id, warnings.stream().findFirst().map(BudgetText::warning));
            }
            case Outcome.NoRoom(Standing standing, long wanted) -> {
                OptionalLong until = standing.resets().isPresent()
                        ? OptionalLong.of(Duration.between(
                                        clock.instant(), standing.resets().get())
                                .toMillis())
                        : OptionalLong.empty();
                yield new ServiceMessage.BudgetDenied(
                        id,
                        Optional.of(standing.budget().name()),
                        BudgetText.noRoom(standing, wanted),
                        BudgetText.raise(standing.budget(), sandbox.id().value()),
                        standing.budget().then() == Budget.Then.ASK,
                        until);
            }
            case Outcome.TooMany _ ->
                denied(id, "too many calls are under way in all sandboxes", "wait until some of them are over");
        };
    }

    void taken(String id) {
        tell(book -> book.taken(id));
    }

    void settle(Sandbox sandbox, ProcessMessage.Settle settle) {
        Map<String, Held> amounts = new HashMap<>();
        try {
            Map<String, SessionBudget> budgets = of(sandbox);
            for (ProcessMessage.Claim claim : settle.claims()) {
                Optional.ofNullable(budgets.get(claim.budget()))
                        .ifPresent(known -> amounts.put(
                                known.account(),
                                new Held(
                                        known.account(),
                                        Instant.EPOCH,
                                        Math.clamp(claim.amount(), 0, BudgetAmount.VALUE_MAX),
                                        Math.clamp(claim.unpricedTokens(), 0, BudgetAmount.VALUE_MAX))));
            }
        } catch (ServiceProblem | ProfileException | UncheckedIOException e) {
            // All that was set aside counts: nobody knows better.
            LOG.warn("{}: a call is settled at its bound", sandbox.id(), e);
        }
        tell(book -> book.settle(settle.id(), amounts));
    }

    void release(String id) {
        tell(book -> book.release(id));
    }

    /// Their process cannot be heard any more.
    void orphaned(Collection<String> ids) {
        Instant until = clock.instant().plus(lease);
        if (!ids.isEmpty()) {
            tell(book -> ids.forEach(id -> book.orphaned(id, until)));
        }
    }

    void expire() {
        Instant now = clock.instant();
        tell(book -> book.expire(now));
    }

    /// Lets go of the sums of sandboxes that are gone with all their forks. The sandboxes are asked for after the
    /// sums were looked at: no sum is older than its sandbox.
    void forgetGone(Supplier<Collection<Sandbox>> all) {
        try {
            Set<String> gone = new HashSet<>(change(BudgetLedger::roots));
            for (Sandbox sandbox : all.get()) {
                SessionBudgetFile.rootIn(sandbox.facts().sessionDir()).ifPresent(gone::remove);
            }
            if (!gone.isEmpty()) {
                tell(book -> book.forget(gone));
            }
        } catch (TelemetryException | UncheckedIOException e) {
            // Nothing is forgotten that may be needed.
            LOG.warn("sums of former sandboxes stay on file", e);
        }
    }

    // ---------------------------------------------------------------- people

    /// The budgets of a session, by name.
    Map<String, SessionBudget> of(Sandbox sandbox) {
        EffectiveProfile profile =
                policy.effective(sandbox.facts().sessionDir(), sandbox.facts().profileId());
        String root = SessionBudgetFile.of(sandbox.facts().sessionDir()).root();
        String run = root + "@"
                + sandbox.instance()
                        .map(instance ->
                                Long.toString(instance.processStartedAt().toEpochMilli()))
                        .orElse("");
        return budgets(profile, budget -> switch (budget.window()) {
            case RUN -> run;
            case SESSION -> root;
            case HOUR, DAY, WEEK, MONTH, TOTAL -> "";
        });
    }

    /// The budgets of a profile that all its sandboxes share, by name.
    Map<String, SessionBudget> shared(EffectiveProfile profile) {
        Map<String, SessionBudget> all = budgets(profile, _ -> "");
        all.values().removeIf(one -> one.budget().window().isPerSandbox());
        return all;
    }

    private static Map<String, SessionBudget> budgets(EffectiveProfile profile, Function<Budget, String> scope) {
        return profile.entries().values().stream()
                .filter(owned -> owned.entry() instanceof BudgetEntry)
                .map(owned -> budget(owned, scope))
                .collect(Collectors.toMap(
                        one -> one.budget().name(), Function.identity(), (first, _) -> first, LinkedHashMap::new));
    }

    private static SessionBudget budget(OwnedEntry owned, Function<Budget, String> scope) {
        Budget budget = ((BudgetEntry) owned.entry()).budget();
        String profile = owned.provenance().layer().wireName() + ":"
                + owned.provenance().profile().value();
        return new SessionBudget(budget, BudgetAccount.key(profile, budget, scope.apply(budget)), owned.provenance());
    }

    Standing standing(SessionBudget of) {
        Instant now = clock.instant();
        return change(book -> book.standing(now, of.account(), of.budget()));
    }

    void raise(SessionBudget of, BudgetAmount by) {
        Instant now = clock.instant();
        change(book -> {
            book.raise(now, of.account(), of.budget(), by.value());
            return true;
        });
    }

    void reset(SessionBudget of) {
        Instant now = clock.instant();
        change(book -> {
            book.reset(now, of.account(), of.budget());
            return true;
        });
    }

    // ---------------------------------------------------------------- the file

    /// What nobody waits for; it is tried again when the file can be written.
    private void tell(Consumer<BudgetLedger> work) {
        try {
            change(book -> {
                work.accept(book);
                return true;
            });
        } catch (TelemetryException e) {
            LOG.error("a budget cannot be kept", e);
        }
    }

    private synchronized <T> T change(Function<BudgetLedger, T> work) {
        BudgetLedger known = ledger;
        if (known == null) {
            known = read();
            ledger = known;
        }
        try {
            T result = work.apply(known);
            write(known.changes());
            return result;
        } catch (TelemetryException e) {
            // Nobody may build on what is not on file.
            ledger = null;
            throw e;
        }
    }

    private BudgetLedger read() {
        BudgetDatabase.Content content = database.read();
        List<BudgetAccount> accounts = content.accounts().stream()
                .map(row -> new BudgetAccount(
                        row.key(),
                        Instant.ofEpochMilli(row.windowStartMillis()),
                        row.spent(),
                        row.raised(),
                        row.unpricedTokens(),
                        BudgetAccount.Warning.valueOf(row.warning())))
                .toList();
        Map<String, List<Held>> open = new HashMap<>();
        content.held()
                .forEach(row -> open.computeIfAbsent(row.reservation(), _ -> new ArrayList<>())
                        .add(new Held(
                                row.account(),
                                Instant.ofEpochMilli(row.windowStartMillis()),
                                row.amount(),
                                row.unpricedTokens())));
        List<BudgetReservation> reservations = open.entrySet().stream()
                .map(one -> new BudgetReservation(one.getKey(), one.getValue(), true, Optional.empty()))
                .toList();
        return new BudgetLedger(accounts, reservations, clock.instant().plus(lease));
    }

    private void write(BudgetLedger.Changes changes) {
        if (changes.accounts().isEmpty()
                && changes.reservations().isEmpty()
                && changes.ended().isEmpty()
                && changes.forgotten().isEmpty()) {
            return;
        }
        List<HeldRow> held = new ArrayList<>();
        changes.reservations()
                .forEach(one -> one.held()
                        .forEach(part -> held.add(new HeldRow(
                                one.id(),
                                part.account(),
                                part.windowStart().toEpochMilli(),
                                part.amount(),
                                part.unpricedTokens()))));
        database.write(
                changes.accounts().stream()
                        .map(account -> new AccountRow(
                                account.key(),
                                account.windowStart().toEpochMilli(),
                                account.spent(),
                                account.raised(),
                                account.unpricedTokens(),
                                account.warning().name()))
                        .toList(),
                held,
                changes.ended(),
                changes.forgotten());
    }
}
