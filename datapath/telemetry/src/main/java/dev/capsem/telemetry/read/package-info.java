/// Read-only questions about a session.db. Entry type: `SessionReader`; `HarExport` writes its exchanges as HAR.
/// Answers with JSON trees of the service's replies. Never writes.
@NullMarked
package dev.capsem.telemetry.read;

import org.jspecify.annotations.NullMarked;
