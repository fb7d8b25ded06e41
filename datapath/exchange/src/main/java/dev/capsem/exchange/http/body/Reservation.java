package dev.capsem.exchange.http.body;

/// The port that counts the bytes of one held body against the sandbox's limit.
public interface Reservation extends AutoCloseable {
    /// For a body that is not held.
    Reservation NONE = new Reservation() {
        @Override
        public boolean grow(long to) {
            return true;
        }

        @Override
        public void shrink(long to) {}

        @Override
        public Reservation split(long part) {
            return this;
        }

        @Override
        public void close() {}
    };

    /// Requires: it does not wait.
    ///
    /// @return whether the room is there; if not, [Input.RoomGiven] or [Input.NoRoom] follows
    boolean grow(long to);

    void shrink(long to);

    /// A part of it in other hands.
    Reservation split(long part);

    @Override
    void close();
}
