package dev.capsem.telemetry.chain;

import java.util.Map;

/// The result of checking a session's hash chain.
public sealed interface Verification {
    /// Every link fits the one before it and the rows it seals, and there are no rows beside the sealed ones.
    ///
    /// @param events how many events the chain holds
    /// @param gaps how many times it admits to a loss
    /// @param lost how many events these losses come to, by event type; `unknown` where the chain names none
    record Intact(long events, long gaps, Map<String, Long> lost, ChainHead head) implements Verification {
        public Intact {
            lost = Map.copyOf(lost);
        }

        public long eventsLost() {
            return lost.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /// Somebody changed, removed, added or moved something.
    ///
    /// @param seq the first link that does not fit; one past the last when the chain is too short
    /// @param expected what should be there, for example a hash
    /// @param found what is there
    record Broken(long seq, Problem problem, String expected, String found) implements Verification {}

    /// There is no chain to check: no file, no database of ours.
    record Missing(String reason) implements Verification {}

    /// How a chain can be broken.
    enum Problem {
        /// A link or a row it seals was changed.
        ALTERED,
        /// A link is missing, or out of order.
        LINK_MISSING,
        /// A link does not name the one before it.
        NOT_LINKED,
        /// A sealed row is gone.
        ROW_MISSING,
        /// There are rows that no link seals.
        UNSEALED_ROWS,
        /// The chain ends before the head that was kept elsewhere, or has another link in that place.
        HEAD_MISMATCH
    }
}
