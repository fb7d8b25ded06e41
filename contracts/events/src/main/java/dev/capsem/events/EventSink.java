package dev.capsem.events;

import dev.capsem.events.vocabulary.EventType;
import java.util.concurrent.CompletableFuture;

/// The port through which every stage puts what happened on record. Safe for many threads. Exchanges of one thread
/// are stored in the order in which it handed them in.
public interface EventSink {
    /// The outcome of an exchange that was handed in.
    enum Receipt {
        /// Queued; it will be stored unless the process dies first.
        ACCEPTED,
        /// There was no room: counted by kind, and the count will be stored.
        DROPPED,
        /// The sink is closed, or the thread was interrupted while it waited (its interrupt flag is set again).
        REFUSED
    }

    /// Asked before anything leaves the sandbox, and before a command runs in it. Never waits.
    ///
    /// @param kind of what is about to begin
    /// @return done at once if there is room; otherwise some seconds later at most, on any thread; never
    ///     exceptionally. Whoever cancels it no longer waits.
    CompletableFuture<Admission> admit(EventType kind);

    /// As [#admit], for what cannot wait.
    Admission admitNow(EventType kind);

    /// For all that was admitted. Never waits, never `DROPPED`.
    ///
    /// @param place of that admission, not given back yet
    Receipt record(RecordedExchange exchange, Admission.Place place);

    /// For what was refused before it was admitted: nothing of it left. Never waits.
    Receipt note(RecordedExchange exchange);

    /// For what was only seen inside (files, programs): nothing leaves the sandbox by it. Never waits; where there is
    /// no room, the chain shows a gap.
    ///
    /// Requires: the event is an observation.
    Receipt offer(RecordedExchange exchange);

    /// For what the host does with the sandbox: it starts, it ends, a limit stops it. Few, and no guest's doing.
    /// Never waits, never `DROPPED`; if the record stays full until the sandbox is over, the rest of the reserve is
    /// for this. A sink without limits need not tell it from a note.
    ///
    /// Requires: an event of the family `vm`.
    default Receipt keep(RecordedExchange exchange) {
        return note(exchange);
    }

    /// For what nobody admits and nobody may miss: waits for room in the queue, however long that takes. Never
    /// `DROPPED`. Must not be called on an event loop.
    Receipt recordOrWait(RecordedExchange exchange);
}
