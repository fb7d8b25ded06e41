/// Bodies: the opaque `Chunk`s that pass, the watch that reads along (`BodyWatch`, `Preview`) and the hold for rules
/// that must read all of one (`Holding`, `Reservation`).
@NullMarked
package dev.capsem.exchange.http.body;

import org.jspecify.annotations.NullMarked;
