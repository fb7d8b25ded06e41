package dev.capsem.network.http;

import java.net.InetAddress;

/// Where an upstream connection leads.
sealed interface Place {
    /// An address that was judged.
    record At(InetAddress address) implements Place {}

    /// A name that this host cannot resolve: only the proxy in front of us knows where it leads.
    record Named() implements Place {}
}
