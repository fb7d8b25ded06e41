package dev.capsem.broker;

import java.util.List;
import java.util.Optional;

/// What the broker says about a request that may leave.
public sealed interface Brokered {
    Brokered UNTOUCHED = new Untouched();

    /// It goes on byte for byte.
    record Untouched() implements Brokered {}

    /// It goes on with values.
    ///
    /// @param body none if that is untouched
    record Filled(SentHead head, Optional<byte[]> body, List<Use> uses) implements Brokered {
        public Filled {
            uses = List.copyOf(uses);
        }

        @Override
        public String toString() {
            return "Filled" + uses;
        }
    }

    /// A stand-in is where it must not be: nothing of it goes on.
    record Leaked(String grant, String place, String reason) implements Brokered {}

    /// A value is needed and not there: nothing of it goes on.
    record Unavailable(String grant, String reason) implements Brokered {}

    /// A value was put there.
    record Use(String grant, String place, int count) {}
}
