/// Sockets and files of the DNS engine: datagrams and connections to the host's resolvers, and the host's own
/// `resolv.conf` and `hosts`. Entry types: `SocketDnsTransport`, `ResolverFiles`. Decides nothing.
@NullMarked
package dev.capsem.network.dns.io;

import org.jspecify.annotations.NullMarked;
