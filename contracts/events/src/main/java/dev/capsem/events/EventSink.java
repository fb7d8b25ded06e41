package dev.capsem.events;

/// The port through which every stage puts what happened on record. Safe for many threads. Exchanges of one thread
/// are stored in the order in which it handed them in.
public interface EventSink {
    /// What became of an exchange that was handed in.
    enum Receipt {
        /// Queued; it will be stored unless the process dies first.
        ACCEPTED,
        /// The queue was full: lost, counted, and shown as a gap in the chain.
        DROPPED,
        /// The sink is closed, or the thread was interrupted while it waited (its interrupt flag is set again).
        REFUSED
    }

    /// For exchanges that passed untouched. Never waits.
    ///
    /// Requires: the event is droppable; anything else goes through [#recordOrWait].
    Receipt offer(RecordedExchange exchange);

    /// For exchanges in which we interfered: waits for room in the queue, however long that takes, so the exchange
    /// behind it waits too. Never `DROPPED`. Must not be called on an event loop.
    Receipt recordOrWait(RecordedExchange exchange);
}
