package dev.capsem.network.http;

import java.util.Optional;

/// What upstream connections are shared by: requests of one origin. A sandbox has one profile, so the profile needs no
/// place in it.
///
/// @param onlyHttp1 for exchanges that HTTP/2 cannot carry
/// @param via the proxy that leads there; one that a profile changes leads nowhere from then on
record Origin(String scheme, String host, int port, boolean onlyHttp1, Optional<UpstreamProxy> via) {
    boolean isTls() {
        return scheme.equals("https") || scheme.equals("wss");
    }

    /// The proxy that reads the requests themselves; others only carry bytes. Plain HTTP goes this way because proxies
    /// commonly refuse tunnels to its port.
    Optional<UpstreamProxy> forwarder() {
        return scheme.equals("http") ? via : Optional.empty();
    }

    /// Host and port, always both.
    String authority() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
