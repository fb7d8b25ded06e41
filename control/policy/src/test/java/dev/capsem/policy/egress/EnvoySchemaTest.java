package dev.capsem.policy.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import dev.capsem.policy.Capgate;
import dev.capsem.policy.FixtureManifests;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig;
import io.envoyproxy.envoy.extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.rbac.matchers.upstream_ip_port.v3.UpstreamIpPortMatcher;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Envoy is in no archive of Debian, so its own message types read what we write: an unknown field, type or value is an
/// error there as it is in Envoy.
class EnvoySchemaTest {
    private static final TypeRegistry TYPES = TypeRegistry.newBuilder()
            .add(HttpConnectionManager.getDescriptor())
            .add(RBAC.getDescriptor())
            .add(FilterConfig.getDescriptor())
            .add(Router.getDescriptor())
            .add(ClusterConfig.getDescriptor())
            .add(UpstreamIpPortMatcher.getDescriptor())
            .build();

    static List<String> fixtures() {
        return FixtureManifests.names();
    }

    private static String config(String fixture) {
        return Capgate.lowerToEgress(
                        FixtureManifests.compile(fixture).policy(),
                        EgressOptions.of(EgressKind.ENVOY).permissive())
                .config();
    }

    private static Bootstrap read(String config) throws InvalidProtocolBufferException {
        Bootstrap.Builder bootstrap = Bootstrap.newBuilder();
        JsonFormat.parser().usingTypeRegistry(TYPES).merge(config, bootstrap);
        return bootstrap.build();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void envoysOwnTypesReadTheBootstrap(String fixture) throws InvalidProtocolBufferException {
        Bootstrap bootstrap = read(config(fixture));

        var listener = bootstrap.getStaticResources().getListeners(0);
        var manager = listener.getFilterChains(0).getFilters(0).getTypedConfig().unpack(HttpConnectionManager.class);
        assertThat(manager.getHttpFiltersList())
                .extracting(filter -> filter.getTypedConfig().getTypeUrl())
                .as("who may go where is decided before anything is sent on")
                .first()
                .asString()
                .endsWith("." + RBAC.getDescriptor().getName());
    }

    @Test
    void aFieldThatEnvoyDoesNotKnowIsRefused() {
        String config = config(fixtures().getFirst());

        assertThatThrownBy(() -> read(config.replace("\"stat_prefix\"", "\"stat_prefiks\"")))
                .isInstanceOf(InvalidProtocolBufferException.class)
                .hasMessageContaining("stat_prefiks");
    }
}
