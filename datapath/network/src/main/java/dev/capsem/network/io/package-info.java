/// The sockets behind the network engine: reads a connection's first bytes with blocking calls, then hands it to an
/// event loop. Knows nothing of HTTP. Entry type: `GuestConnection`.
@NullMarked
package dev.capsem.network.io;

import org.jspecify.annotations.NullMarked;
