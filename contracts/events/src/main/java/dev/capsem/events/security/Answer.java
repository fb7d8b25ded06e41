package dev.capsem.events.security;

import dev.capsem.events.vocabulary.WireNamed;
import java.util.Locale;

/// The outcome of a question to a person. Only [Approved] lets anything go on.
public sealed interface Answer {
    /// The approver, for the audit trail: `cli`, `api`, `dashboard`, with a user name where one is known.
    String by();

    record Approved(Scope scope, String by) implements Answer {}

    /// @param reason for people; never holds payload
    record Refused(Cause cause, String reason, String by) implements Answer {}

    /// How far an approval reaches.
    enum Scope implements WireNamed {
        /// This one exchange.
        ONCE,
        /// The same question until the sandbox ends.
        SESSION,
        /// From now on: a rule of the user's was written.
        ALWAYS;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    /// Why nothing goes on.
    enum Cause implements WireNamed {
        DENIED,
        /// Nobody answered in time.
        TIMED_OUT,
        /// Nobody is there to be asked: no service, or it went away.
        NO_APPROVER,
        /// Too many questions wait already.
        QUEUE_FULL,
        /// The asker went away first.
        WITHDRAWN;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }
}
