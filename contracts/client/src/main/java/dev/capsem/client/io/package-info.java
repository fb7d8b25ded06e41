/// The service's client: HTTP/1.1 and WebSocket over its Unix socket, with typed requests and replies. Entry type:
/// [dev.capsem.client.io.ServiceClient].
@NullMarked
package dev.capsem.client.io;

import org.jspecify.annotations.NullMarked;
