package dev.capsem.network.dns;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Predicate;

/// The port to the host's resolvers. Blocking; meant for virtual threads.
public interface DnsTransport {
    /// Sends one datagram from a port of its own and answers with the first that comes back from `server` and that
    /// `expected` accepts; others are ignored. Throws [java.net.SocketTimeoutException] when none did in time.
    byte[] overUdp(InetSocketAddress server, byte[] query, Predicate<byte[]> expected, Duration timeout)
            throws IOException;

    /// Asks over a connection of its own.
    byte[] overTcp(InetSocketAddress server, byte[] query, Duration timeout) throws IOException;
}
