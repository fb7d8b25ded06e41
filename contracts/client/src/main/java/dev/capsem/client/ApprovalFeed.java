package dev.capsem.client;

import java.util.List;
import java.util.Optional;

/// Questions that wait for a person's answer, and their outcomes. One thread reads; any thread may close.
public interface ApprovalFeed extends AutoCloseable {
    /// One thing that changed.
    sealed interface Change {
        /// Everything that waits; comes first.
        record Snapshot(List<ApprovalQuestion> pending) implements Change {
            public Snapshot {
                pending = List.copyOf(pending);
            }
        }

        record Asked(ApprovalQuestion question) implements Change {}

        /// @param outcome approved, denied, timed_out, nobody or withdrawn
        record Resolved(String id, String sandbox, String outcome, Optional<String> scope, Optional<String> by)
                implements Change {
            /// Such as `approved, session, by kim`.
            public String inWords() {
                return outcome.replace('_', ' ')
                        + scope.map(text -> ", " + text).orElse("")
                        + by.map(text -> ", by " + text).orElse("");
            }
        }
    }

    /// One from which nothing comes.
    ApprovalFeed NONE = new ApprovalFeed() {
        @Override
        public Optional<Change> next() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    };

    /// Waits for the next change; empty when the service is gone or the feed was closed.
    Optional<Change> next();

    @Override
    void close();
}
