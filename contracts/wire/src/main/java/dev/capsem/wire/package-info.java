/// Bytes ↔ messages for every boundary between our own programs: guest frames (`guest`), service ↔ process IPC
/// (`ipc`), the records of the service's HTTP API (`service`). Codecs are pure; sockets and threads live in `io`.
/// Sees no other module of ours.
@NullMarked
package dev.capsem.wire;

import org.jspecify.annotations.NullMarked;
