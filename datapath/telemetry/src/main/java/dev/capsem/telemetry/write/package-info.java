/// Writes the record. Entry types: `SessionWriter` (the `EventSink` of a sandbox: one thread, one session.db) and
/// `MainDatabase` (the roll-ups of all sessions). Admits what there is room for, batches, seals each row by `chain`,
/// and counts what was lost. Does not see `read` or `report`.
@NullMarked
package dev.capsem.telemetry.write;

import org.jspecify.annotations.NullMarked;
