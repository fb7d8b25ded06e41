/// The runtime protocol `sandbox.v1.Sandbox` in its Connect JSON form: unary calls, framed
/// streams, and a terminal over a WebSocket. Same sandboxes and same rules as the REST routes.
/// Entry type: [dev.capsem.sandboxserver.connect.ConnectApi].
@NullMarked
package dev.capsem.sandboxserver.connect;

import org.jspecify.annotations.NullMarked;
