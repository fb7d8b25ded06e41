/// The guard between the network and the sandbox-server API: which hosts and origins may ask, with which
/// token, and how often they may guess. Entry type: [dev.capsem.sandboxserver.gateway.GatewayGuard]. No sockets:
/// those are `io.Gateway`'s.
@NullMarked
package dev.capsem.sandboxserver.gateway;

import org.jspecify.annotations.NullMarked;
