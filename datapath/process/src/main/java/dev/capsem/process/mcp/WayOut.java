package dev.capsem.process.mcp;

import dev.capsem.network.http.UpstreamProxy;
import dev.capsem.process.mcp.io.EgressDoor.Route;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/// How the programs behind MCP reach hosts: directly, or through the company's proxy if the profile names one. What is
/// on this host itself is never asked of a proxy, which would look for it on its own.
record WayOut(Optional<UpstreamProxy> proxy) {
    /// Empty if the host, or the proxy, cannot be found.
    Optional<Route> to(String host, int port) {
        if (proxy.isEmpty() || isOnThisHost(host)) {
            return resolve(host).map(found -> new Route(new InetSocketAddress(found, port), Optional.empty()));
        }
        return resolve(proxy.get().host())
                .map(found -> new Route(new InetSocketAddress(found, proxy.get().port()), proxy));
    }

    static Optional<InetAddress> resolve(String host) {
        try {
            return Optional.of(InetAddress.getByName(host));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    private static boolean isOnThisHost(String host) {
        try {
            return host.equalsIgnoreCase("localhost")
                    || InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
