package dev.capsem.network.http.body;

import dev.capsem.exchange.http.body.Reservation;
import java.util.function.Consumer;

/// The room of one body, which tells its exchange when it has waited.
///
/// @param told whether there was room in time
public record HeldReservation(HeldBytes.Room room, Consumer<Boolean> told) implements Reservation {
    @Override
    public boolean grow(long to) {
        return room.grow(to, told);
    }

    @Override
    public void shrink(long to) {
        room.shrink(to);
    }

    @Override
    public Reservation split(long part) {
        return new HeldReservation(room.split(part), told);
    }

    @Override
    public void close() {
        room.close();
    }
}
