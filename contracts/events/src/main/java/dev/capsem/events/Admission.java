package dev.capsem.events;

/// Whether something new may begin. It may if there is room on record for what will become of it, and if the record
/// can be written at all: nothing leaves the sandbox that is not on record.
public sealed interface Admission {
    /// The error code of a refusal, for programs.
    String CODE = "record_unavailable";

    /// It may begin.
    ///
    /// @param place for its events; to be given back when they are handed in, or when there will be none
    record Admitted(Place place) implements Admission {}

    /// It must not begin. That is counted by kind, and on record once that is possible.
    ///
    /// @param remedy what the person who runs the sandbox can do
    record Refused(String cause, String remedy) implements Admission {
        /// In one line, for whoever is refused.
        public String reason() {
            return "nothing may leave the sandbox unrecorded, and its record cannot be written: " + cause;
        }
    }

    /// Room for the events of one exchange, so that none of them is lost.
    interface Place extends AutoCloseable {
        /// Room that nobody has to share.
        Place BOUNDLESS = () -> {};

        /// Gives it back. Any time after the first does nothing.
        @Override
        void close();
    }
}
