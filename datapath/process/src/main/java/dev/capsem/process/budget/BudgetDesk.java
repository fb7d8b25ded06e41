package dev.capsem.process.budget;

import dev.capsem.events.budget.BudgetClaim;
import dev.capsem.events.budget.CallCost;
import dev.capsem.events.budget.SpendingAnswer;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.budget.SpendingHold;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Asks the service for room in budgets, on behalf of all calls of one sandbox. A call passes only once
/// the service has been told that it may be sent: whoever dies in between leaves no call uncounted.
/// Safe for many threads.
public final class BudgetDesk implements SpendingDesk {
    /// The service writes to its disk before it answers.
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final Supplier<SessionBudgets> budgets;
    private final String prefix;
    private final Consumer<String> warned;

    /// Guards everything below. Futures are completed without it.
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<String, Call> calls = new LinkedHashMap<>();
    private @Nullable Keeper keeper;
    private long count;

    /// One call from its question until the service has its end on file.
    private static final class Call {
        final List<BudgetClaim> claims;
        final CompletableFuture<SpendingAnswer> answer = new CompletableFuture<>();
        boolean isHeld;

        /// Who was asked.
        final Keeper keeper;

        /// What the service must still hear.
        @Nullable
        ProcessMessage end;

        Call(List<BudgetClaim> claims, Keeper keeper) {
            this.claims = claims;
            this.keeper = keeper;
        }
    }

    /// @param sent told when the message is out of this process
    private record Outgoing(ProcessMessage message, Runnable sent) {}

    /// @param budgets of the profile in force
    /// @param prefix makes the ids of this process's calls unique
    /// @param warned told what people should know
    public BudgetDesk(Supplier<SessionBudgets> budgets, String prefix, Consumer<String> warned) {
        this.budgets = budgets;
        this.prefix = prefix;
        this.warned = warned;
    }

    @Override
    public Optional<Spending> spending(SecurityEvent.HttpRequest request, Optional<ModelCall> model) {
        return budgets.get().spending(request, model);
    }

    @Override
    public CompletableFuture<SpendingAnswer> reserve(Spending spending, boolean isApproved) {
        Call call;
        String id;
        lock.lock();
        try {
            Keeper now = keeper;
            if (now == null) {
                return CompletableFuture.completedFuture(unreachable());
            }
            call = new Call(spending.claims(), now);
            id = prefix + "-" + ++count;
            calls.put(id, call);
            now.tell(new ProcessMessage.Reserve(id, claims(call.claims), isApproved));
        } finally {
            lock.unlock();
        }
        CompletableFuture<SpendingAnswer> asked = new CompletableFuture<>();
        CompletableFuture<Void> _ = call.answer.thenAccept(asked::complete);
        CompletableFuture<SpendingAnswer> _ =
                asked.completeOnTimeout(unreachable(), ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
        // What is granted to nobody any more is given back.
        CompletableFuture<Void> _ = asked.thenAccept(answer -> {
            if (!(answer instanceof SpendingAnswer.Granted)) {
                unspent(id);
            }
        });
        return asked;
    }

    private static SpendingAnswer.Refused unreachable() {
        return new SpendingAnswer.Refused(
                Optional.empty(),
                "the budget of this sandbox cannot be asked: the service that keeps it does not answer",
                "ask the person who runs this sandbox to look at `capsem status`",
                false,
                Optional.of(Duration.ZERO));
    }

    private static List<ProcessMessage.Claim> claims(List<BudgetClaim> claims) {
        return claims.stream()
                .map(claim -> new ProcessMessage.Claim(
                        claim.budget(),
                        claim.amount().unit().wireName(),
                        claim.amount().value(),
                        claim.unpricedTokens()))
                .toList();
    }

    /// What the service said.
    public void replied(ServiceMessage.BudgetReply reply) {
        switch (reply) {
            case ServiceMessage.BudgetGranted granted -> granted(granted);
            case ServiceMessage.BudgetDenied denied -> denied(denied);
            case ServiceMessage.BudgetNoted noted -> forget(noted.id());
        }
    }

    /// The call may leave when the service can know that it may have left.
    private void granted(ServiceMessage.BudgetGranted granted) {
        lock.lock();
        try {
            Call call = calls.get(granted.id());
            if (call == null || call.end != null || keeper == null) {
                return;
            }
            call.isHeld = true;
            SpendingAnswer answer = new SpendingAnswer.Granted(new Hold(granted.id()));
            keeper.unread.add(Optional.of(
                    new Outgoing(new ProcessMessage.Took(granted.id()), () -> call.answer.complete(answer))));
        } finally {
            lock.unlock();
        }
        granted.warning().ifPresent(warned);
    }

    private void denied(ServiceMessage.BudgetDenied denied) {
        Optional<Call> call = forget(denied.id());
        call.ifPresent(found -> found.answer.complete(new SpendingAnswer.Refused(
                denied.budget(),
                denied.reason(),
                denied.remedy(),
                denied.asks(),
                denied.untilMillis().isPresent()
                        ? Optional.of(Duration.ofMillis(denied.untilMillis().getAsLong()))
                        : Optional.empty())));
    }

    private Optional<Call> forget(String id) {
        lock.lock();
        try {
            return Optional.ofNullable(calls.remove(id));
        } finally {
            lock.unlock();
        }
    }

    private void unspent(String id) {
        end(id, new ProcessMessage.Unspent(id));
    }

    /// The first end of a call counts.
    private void end(String id, ProcessMessage message) {
        lock.lock();
        try {
            Call call = calls.get(id);
            if (call != null && call.end == null) {
                call.end = message;
                if (keeper != null) {
                    keeper.tell(message);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private final class Hold implements SpendingHold {
        private final String id;

        Hold(String id) {
            this.id = id;
        }

        @Override
        public void settle(CallCost cost) {
            end(id, new ProcessMessage.Settle(id, claims(settled(cost))));
        }

        private List<BudgetClaim> settled(CallCost cost) {
            return taken().stream().map(claim -> claim.settled(cost)).toList();
        }

        @Override
        public void spend() {
            end(id, new ProcessMessage.Settle(id, claims(taken())));
        }

        @Override
        public void release() {
            unspent(id);
        }

        private List<BudgetClaim> taken() {
            lock.lock();
            try {
                Call call = calls.get(id);
                return call == null ? List.of() : call.claims;
            } finally {
                lock.unlock();
            }
        }
    }

    /// Somebody keeps the budgets, until it is closed. First it hears what an earlier one may have missed.
    public Keeper keep() {
        Keeper next = new Keeper();
        lock.lock();
        try {
            if (keeper != null) {
                keeper.unread.add(Optional.empty());
            }
            keeper = next;
            calls.forEach((id, call) -> {
                if (call.end != null) {
                    next.tell(call.end);
                } else if (call.isHeld) {
                    next.tell(new ProcessMessage.Took(id));
                }
            });
        } finally {
            lock.unlock();
        }
        return next;
    }

    /// Who keeps the budgets. What it is told waits here: as much as there are calls under way.
    public final class Keeper implements AutoCloseable {
        private final BlockingQueue<Optional<Outgoing>> unread = new LinkedBlockingQueue<>();

        private Keeper() {}

        private void tell(ProcessMessage message) {
            unread.add(Optional.of(new Outgoing(message, () -> {})));
        }

        /// Sends what there is to tell, until another one keeps the budgets.
        ///
        /// @param out returns when the message is out of this process
        public void serve(Consumer<ProcessMessage> out) throws InterruptedException {
            for (Optional<Outgoing> next = unread.take(); next.isPresent(); next = unread.take()) {
                out.accept(next.get().message());
                next.get().sent().run();
            }
        }

        /// Whoever waits is refused. It may have been granted all the same, so the next keeper hears that it
        /// was not sent.
        @Override
        public void close() {
            List<Call> waiting;
            lock.lock();
            try {
                if (keeper == this) {
                    keeper = null;
                }
                waiting = calls.values().stream()
                        .filter(call -> call.keeper == this && call.end == null && !call.answer.isDone())
                        .toList();
                waiting.forEach(call -> call.isHeld = false);
            } finally {
                lock.unlock();
            }
            waiting.forEach(call -> call.answer.complete(unreachable()));
        }
    }
}
