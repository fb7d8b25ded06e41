/// Diagnosis of this host and of a session: logs, crashes, slow and failed operations, and the
/// order in which to look at them. Reads files only. Entry types:
/// [dev.capsem.service.diagnose.Triage], [dev.capsem.service.diagnose.HostLogs].
@NullMarked
package dev.capsem.service.diagnose;

import org.jspecify.annotations.NullMarked;
