package dev.capsem.network.http.upstream;

import dev.capsem.events.security.SecurityEvent;
import java.util.Optional;

/// What upstream connections are shared by: requests of one origin. A sandbox has one profile, so the profile needs no
/// place in it.
///
/// @param speech what the upstream is spoken to
/// @param via the proxy that leads there; one that a profile changes leads nowhere from then on
public record UpstreamOrigin(String scheme, String host, int port, Speech speech, Optional<UpstreamProxy> via) {
    public enum Speech {
        /// The negotiated protocol; without TLS, HTTP/1.
        AGREED,
        /// For exchanges that HTTP/2 cannot carry.
        HTTP1,
        /// Without TLS there is no agreeing: a guest that speaks HTTP/2 knows that the server does.
        HTTP2
    }

    public static UpstreamOrigin of(
            SecurityEvent.HttpRequest request, boolean isGuestHttp2, Optional<UpstreamProxy> via) {
        Speech speech = request.scheme().startsWith("ws")
                ? Speech.HTTP1
                : isGuestHttp2 && request.scheme().equals("http") ? Speech.HTTP2 : Speech.AGREED;
        return new UpstreamOrigin(request.scheme(), request.host(), request.port(), speech, via);
    }

    /// Asked for several times per request; what a record makes by itself is slow without the optimizing compiler.
    @Override
    public int hashCode() {
        return 31 * host.hashCode() + port;
    }

    public boolean isTls() {
        return scheme.equals("https") || scheme.equals("wss");
    }

    /// The proxy that reads the requests themselves; others only carry bytes. Plain HTTP goes this way because proxies
    /// commonly refuse tunnels to its port.
    public Optional<UpstreamProxy> forwarder() {
        return scheme.equals("http") && speech != Speech.HTTP2 ? via : Optional.empty();
    }

    /// Host and port, always both.
    public String authority() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
