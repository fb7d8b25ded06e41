package dev.capsem.process.network;

import dev.capsem.network.address.Resolution;
import dev.capsem.network.dns.HostLookup;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.wire.io.TaskScope;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Where names lead, as the configuration in force wants them resolved. Safe for many threads.
public final class SessionResolver {
    private final ConfigurationInForce configuration;
    private final TaskScope scope;

    /// Made when the engines need it: most sandboxes end before that.
    private volatile @Nullable HostLookup lookup;

    /// @param scope runs what waits
    public SessionResolver(ConfigurationInForce configuration, TaskScope scope) {
        this.configuration = configuration;
        this.scope = scope;
    }

    synchronized HostLookup lookup() {
        HostLookup made = lookup;
        if (made == null) {
            made = NetworkStage.lookup(() -> configuration.now().network().resolvers(), scope);
            lookup = made;
        }
        return made;
    }

    /// Asks the resolvers. Empty if the name does not resolve here, or the engines are not set up yet.
    public Optional<InetAddress> leadsTo(String host) {
        HostLookup made = lookup;
        return made != null && made.resolve(host).join() instanceof Resolution.Addresses(List<InetAddress> all)
                ? all.stream().findFirst()
                : Optional.empty();
    }
}
