/// Events on disk. Entry type: `SessionSchema`, the tables of a session.db (the resource `session-schema.sql`). `write`
/// fills them, `chain` proves that they are unchanged, `read` and `report` answer questions, `inspect` runs a person's
/// SQL; this package holds the parts they share. `log` is apart from them: the programs' own logs. Sees only `wire` and
/// `events`; never decides.
@NullMarked
package dev.capsem.telemetry;

import org.jspecify.annotations.NullMarked;
