/// What happened, on disk. Entry type: `SessionSchema`, the tables of a session.db (the resource
/// `session-schema.sql`). `write` fills them, `chain` proves that nobody changed them, `read` and `report` answer
/// questions, `inspect` runs a person's SQL. Here stands what they share. Sees only `wire` and `events`; never decides.
@NullMarked
package dev.capsem.telemetry;

import org.jspecify.annotations.NullMarked;
