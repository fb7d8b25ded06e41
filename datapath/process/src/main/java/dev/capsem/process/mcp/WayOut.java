package dev.capsem.process.mcp;

import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.NameClasses;
import dev.capsem.network.address.Resolution;
import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.process.mcp.io.EgressProxy.Route;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Optional;

/// How the programs behind MCP reach hosts: directly, or through the company's proxy if the profile names one. What is
/// on this host itself is never asked of a proxy, which would look for it on its own.
///
/// @param resolver asks the resolvers of the profile
record WayOut(Optional<UpstreamProxy> proxy, HostResolver resolver) {
    /// A name is looked up once: what is judged is what is connected to.
    ///
    /// @param address where it leads; empty if only the proxy knows, and the name itself gives nothing away
    record Way(Route route, Optional<InetAddress> address) {}

    /// Empty if the host, or the proxy, cannot be found.
    Optional<Way> to(String host, int port) {
        Optional<InetAddress> found = resolve(host);
        return proxy.isEmpty() || isOnThisHost(host) ? direct(found, port) : throughProxy(host, found);
    }

    /// As [#to], for a host that the profile names: where a proxy resolves names, nobody else is told of this one.
    Optional<Way> toServer(String host, int port) {
        return proxy.isEmpty() || isOnThisHost(host)
                ? direct(resolve(host), port)
                : throughProxy(host, Optional.empty());
    }

    private static Optional<Way> direct(Optional<InetAddress> found, int port) {
        return found.map(address -> new Way(new Route(new InetSocketAddress(address, port), Optional.empty()), found));
    }

    private Optional<Way> throughProxy(String host, Optional<InetAddress> found) {
        UpstreamProxy asked = proxy.orElseThrow();
        return resolve(asked.host())
                .map(address -> new Way(
                        new Route(new InetSocketAddress(address, asked.port()), proxy),
                        found.or(() -> NameClasses.standIn(plain(host)))));
    }

    private Optional<InetAddress> resolve(String host) {
        return resolver.resolve(plain(host)).join() instanceof Resolution.Addresses(var addresses)
                ? Optional.of(addresses.getFirst())
                : Optional.empty();
    }

    /// Whether the text itself says where it leads, so that no answer of a resolver can send it elsewhere.
    static boolean isOnThisHost(String host) {
        return plain(host).equals("localhost")
                || AddressLiterals.parse(host)
                        .filter(InetAddress::isLoopbackAddress)
                        .isPresent();
    }

    private static String plain(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
