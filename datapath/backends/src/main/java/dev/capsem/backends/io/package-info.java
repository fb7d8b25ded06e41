/// The sockets of the two programs: how a host and port is reached, directly or through the one tunnel that an isolated
/// program has, and sockets that somebody connected for us. Entry type: `Connector`.
@NullMarked
package dev.capsem.backends.io;

import org.jspecify.annotations.NullMarked;
