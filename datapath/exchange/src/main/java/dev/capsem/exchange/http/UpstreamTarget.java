package dev.capsem.exchange.http;

import java.net.InetAddress;

/// Where an upstream connection leads.
public sealed interface UpstreamTarget {
    /// An address that was judged.
    record At(InetAddress address) implements UpstreamTarget {}

    /// A name that this host cannot resolve: only the proxy in front of us knows where it leads.
    record Named() implements UpstreamTarget {}
}
