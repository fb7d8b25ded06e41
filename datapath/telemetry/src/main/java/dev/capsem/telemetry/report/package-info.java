/// Reports on a session.db, as SQL and the tree that it becomes: cost, time line, troubles, the
/// security log. `read.SessionReader` runs them on its connection.
@NullMarked
package dev.capsem.telemetry.report;

import org.jspecify.annotations.NullMarked;
