/// Service ↔ process: one Unix-socket connection per operation, length-prefixed JSON. Entry types:
/// `ServiceMessage`, `ProcessMessage`.
@NullMarked
package dev.capsem.wire.ipc;

import org.jspecify.annotations.NullMarked;
