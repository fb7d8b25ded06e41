/// Commands that the service asks for: handed to the guest, streamed back with back-pressure, ended by timeout or when
/// the asker is gone, and put on record. Entry type: `ExecOperation`. Knows IPC messages and the guest session; no
/// sockets, no database.
@NullMarked
package dev.capsem.process.exec;

import org.jspecify.annotations.NullMarked;
