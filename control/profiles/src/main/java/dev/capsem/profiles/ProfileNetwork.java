package dev.capsem.profiles;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How a session reaches the network.
///
/// @param resolvers addresses with ports (`192.0.2.1:53`, `[2001:db8::1]:53`), asked in this order; the host's own if
///     empty
/// @param upstreamProxy `http://host:port`
/// @param proxyCredentials `${secret:NAME}`, whose secret is `user:password`
/// @param extraCa the path of certificates (PEM) that are trusted beside the host's
/// @param clientCertificates by host: `${secret:NAME}`, or the path of a certificate with its key (PEM)
public record ProfileNetwork(
        List<String> resolvers,
        Optional<String> upstreamProxy,
        Optional<String> proxyCredentials,
        Optional<String> extraCa,
        Map<String, String> clientCertificates) {
    /// As the host itself does.
    public static final ProfileNetwork HOST =
            new ProfileNetwork(List.of(), Optional.empty(), Optional.empty(), Optional.empty(), Map.of());

    public ProfileNetwork {
        resolvers = List.copyOf(resolvers);
        clientCertificates = Map.copyOf(clientCertificates);
    }
}
