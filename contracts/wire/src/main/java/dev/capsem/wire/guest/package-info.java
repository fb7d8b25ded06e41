/// Host ↔ agent frames, as in `docs/reference/guest-protocol.md`. Entry type: `GuestProtocol`.
@NullMarked
package dev.capsem.wire.guest;

import org.jspecify.annotations.NullMarked;
