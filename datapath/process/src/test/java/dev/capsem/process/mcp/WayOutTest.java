package dev.capsem.process.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.network.http.UpstreamProxy;
import dev.capsem.process.mcp.io.EgressDoor.Route;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WayOutTest {
    private static final UpstreamProxy PROXY = new UpstreamProxy("192.0.2.1", 3128, Optional.empty());

    @Test
    void withoutAProxyTheWayIsDirect() {
        assertThat(new WayOut(Optional.empty()).to("198.51.100.7", 443))
                .contains(new Route(new InetSocketAddress("198.51.100.7", 443), Optional.empty()));
    }

    @Test
    void withAProxyItIsTheProxysBusinessToFindTheHost() {
        assertThat(new WayOut(Optional.of(PROXY)).to("nobody.invalid", 443))
                .contains(new Route(new InetSocketAddress("192.0.2.1", 3128), Optional.of(PROXY)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.8.9.10", "::1", "localhost", "LocalHost"})
    void whatIsOnThisHostIsNeverAskedOfAProxy(String host) {
        Route route = new WayOut(Optional.of(PROXY)).to(host, 80).orElseThrow();

        assertThat(route.proxy()).isEmpty();
        assertThat(route.address().getAddress().isLoopbackAddress()).isTrue();
    }

    @Test
    void withAProxyAPrivateAddressIsNotReachedPastIt() {
        assertThat(new WayOut(Optional.of(PROXY))
                        .to("10.0.0.1", 80)
                        .orElseThrow()
                        .proxy())
                .contains(PROXY);
    }
}
