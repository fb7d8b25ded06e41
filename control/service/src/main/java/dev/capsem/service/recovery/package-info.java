/// What sandboxes that ended leave behind, and what an earlier service left running. Entry types:
/// [dev.capsem.service.recovery.Recovery] and [dev.capsem.service.recovery.SessionCleanup].
@NullMarked
package dev.capsem.service.recovery;

import org.jspecify.annotations.NullMarked;
