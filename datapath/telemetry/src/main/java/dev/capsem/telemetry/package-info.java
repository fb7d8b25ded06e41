/// What happened, on disk. Entry types: `SessionWriter` (the `EventSink` of a sandbox: one thread, one session.db),
/// `SessionReader` (read-only questions about it), `ChainVerifier` (has anybody changed it?). The schema is the
/// resource `session-schema.sql`. Sees only `wire` and `events`; never decides anything.
@NullMarked
package dev.capsem.telemetry;

import org.jspecify.annotations.NullMarked;
