package dev.capsem.process.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.Resolution;
import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.process.mcp.io.EgressProxy.Route;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WayOutTest {
    private static final UpstreamProxy PROXY = new UpstreamProxy("192.0.2.1", 3128, Optional.empty());

    /// Counts, and answers differently each time: whoever asks twice is fooled.
    private final AtomicInteger lookups = new AtomicInteger();

    private final HostResolver resolver = host -> CompletableFuture.completedFuture(answer(host));

    private Resolution answer(String host) {
        int number = lookups.incrementAndGet();
        if (host.equals("localhost")) {
            return new Resolution.Addresses(List.of(InetAddress.getLoopbackAddress()));
        }
        if (host.endsWith(".invalid") || host.endsWith(".internal")) {
            return new Resolution.Failed("no such name");
        }
        return new Resolution.Addresses(List.of(AddressLiterals.parse(host)
                .orElseGet(() -> InetAddress.ofLiteral(number == 1 ? "198.51.100.7" : "127.0.0.1"))));
    }

    @Test
    void aNameIsLookedUpOnceSoThatWhatIsJudgedIsWhatIsConnectedTo() {
        WayOut.Way way = to(Optional.empty(), "Rebinds.Example.TEST.", 443);

        assertThat(way.address()).contains(InetAddress.ofLiteral("198.51.100.7"));
        assertThat(way.route().address().getAddress()).isEqualTo(way.address().orElseThrow());
        assertThat(lookups).hasValue(1);
    }

    @Test
    void aNameThatOnlyTheProxyCanResolveIsJudgedByWhatItSaysItself() {
        assertThat(to(Optional.of(PROXY), "metadata.google.internal", 80).address())
                .contains(InetAddress.ofLiteral("169.254.169.254"));
        assertThat(to(Optional.of(PROXY), "nobody.invalid", 80).address()).isEmpty();
    }

    @Test
    void aServersNameIsLeftToTheProxy() {
        WayOut out = new WayOut(Optional.of(PROXY), resolver);

        assertThat(out.toServer("open.example.test", 443).orElseThrow().route().proxy())
                .contains(PROXY);
        assertThat(lookups).as("the proxy's own name only").hasValue(1);
    }

    private WayOut.Way to(Optional<UpstreamProxy> proxy, String host, int port) {
        return new WayOut(proxy, resolver).to(host, port).orElseThrow();
    }

    @Test
    void withoutAProxyTheWayIsDirect() {
        assertThat(to(Optional.empty(), "198.51.100.7", 443).route())
                .isEqualTo(new Route(new InetSocketAddress("198.51.100.7", 443), Optional.empty()));
    }

    @Test
    void withAProxyItIsTheProxysBusinessToFindTheHost() {
        assertThat(to(Optional.of(PROXY), "nobody.invalid", 443).route())
                .isEqualTo(new Route(new InetSocketAddress("192.0.2.1", 3128), Optional.of(PROXY)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.8.9.10", "::1", "localhost", "LocalHost"})
    void whatIsOnThisHostIsNeverAskedOfAProxy(String host) {
        Route route = to(Optional.of(PROXY), host, 80).route();

        assertThat(route.proxy()).isEmpty();
        assertThat(route.address().getAddress().isLoopbackAddress()).isTrue();
    }

    @Test
    void withAProxyAPrivateAddressIsNotReachedPastIt() {
        assertThat(to(Optional.of(PROXY), "10.0.0.1", 80).route().proxy()).contains(PROXY);
    }
}
