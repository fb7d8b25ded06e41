package dev.capsem.network;

import dev.capsem.network.http.limit.BodyRoom;
import dev.capsem.network.http.limit.Timeouts;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.network.tls.ClientIdentity;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;

/// The settings of the network engine.
///
/// @param authority signs what the sandbox sees
/// @param trustBundles PEM files whose authorities upstreams may use, beside the JDK's
/// @param extraAuthorities more of them, such as a company's
/// @param clientIdentities by host, shown to that host alone
/// @param bodyRoom for bodies that rules must read
/// @param eventLoops threads that carry bytes
public record NetworkSettings(
        AuthorityKeys authority,
        List<Path> trustBundles,
        List<X509Certificate> extraAuthorities,
        Map<String, ClientIdentity> clientIdentities,
        Timeouts timeouts,
        BodyRoom bodyRoom,
        int eventLoops) {
    /// Debian's place for what the host trusts.
    public static final Path HOST_BUNDLE = Path.of("/etc/ssl/certs/ca-certificates.crt");

    private static final int EVENT_LOOPS_USUAL = 2;

    public NetworkSettings {
        trustBundles = List.copyOf(trustBundles);
        extraAuthorities = List.copyOf(extraAuthorities);
        clientIdentities = Map.copyOf(clientIdentities);
        if (eventLoops < 1) {
            throw new IllegalArgumentException("eventLoops must be at least 1");
        }
    }

    public static NetworkSettings usual() {
        return new NetworkSettings(
                AuthorityKeys.builtIn(),
                List.of(HOST_BUNDLE),
                List.of(),
                Map.of(),
                Timeouts.USUAL,
                BodyRoom.USUAL,
                EVENT_LOOPS_USUAL);
    }

    public NetworkSettings withExtraAuthorities(List<X509Certificate> authorities) {
        return new NetworkSettings(
                authority, trustBundles, authorities, clientIdentities, timeouts, bodyRoom, eventLoops);
    }

    public NetworkSettings withAuthority(AuthorityKeys keys) {
        return new NetworkSettings(
                keys, trustBundles, extraAuthorities, clientIdentities, timeouts, bodyRoom, eventLoops);
    }

    public NetworkSettings withEventLoops(int count) {
        return new NetworkSettings(
                authority, trustBundles, extraAuthorities, clientIdentities, timeouts, bodyRoom, count);
    }

    public NetworkSettings withTimeouts(Timeouts changed) {
        return new NetworkSettings(
                authority, trustBundles, extraAuthorities, clientIdentities, changed, bodyRoom, eventLoops);
    }

    public NetworkSettings withBodyRoom(BodyRoom room) {
        return new NetworkSettings(
                authority, trustBundles, extraAuthorities, clientIdentities, timeouts, room, eventLoops);
    }

    public NetworkSettings withClientIdentities(Map<String, ClientIdentity> identities) {
        return new NetworkSettings(
                authority, trustBundles, extraAuthorities, identities, timeouts, bodyRoom, eventLoops);
    }
}
