/// The sandbox-server API: `/v1/*`, its own error envelope and its own tokens, over the same sandboxes as the rest
/// of the service. Entry type: [dev.capsem.service.v1.SandboxServer]. Sees neither Jetty nor sockets; the gateway
/// that serves it over TCP is `io.Gateway`.
@NullMarked
package dev.capsem.service.v1;

import org.jspecify.annotations.NullMarked;
