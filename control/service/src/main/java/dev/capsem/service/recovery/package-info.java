/// Remains of ended sandboxes, and processes of an earlier service. Entry types:
/// [dev.capsem.service.recovery.Recovery] and [dev.capsem.service.recovery.SessionCleanup].
@NullMarked
package dev.capsem.service.recovery;

import org.jspecify.annotations.NullMarked;
