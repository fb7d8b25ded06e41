package dev.capsem.process.configuration;

import dev.capsem.llm.ModelEndpoint;
import dev.capsem.network.NetworkSettings;
import dev.capsem.network.dns.ResolverAddresses;
import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.network.tls.ClientIdentity;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.profiles.secret.SecretTemplate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/// The network settings of the session's effective profile.
///
/// @param resolvers none = the host's own
/// @param extraAuthorities a PEM file
/// @param upstreamProxy a proxy that everything goes through
/// @param clientIdentities by host
public record SessionNetwork(
        List<InetSocketAddress> resolvers,
        List<ModelEndpoint> endpoints,
        Optional<Path> extraAuthorities,
        Optional<UpstreamProxy> upstreamProxy,
        Map<String, ClientIdentity> clientIdentities) {
    public static final SessionNetwork NONE =
            new SessionNetwork(List.of(), List.of(), Optional.empty(), Optional.empty(), Map.of());

    public SessionNetwork {
        resolvers = List.copyOf(resolvers);
        endpoints = List.copyOf(endpoints);
        clientIdentities = Map.copyOf(clientIdentities);
    }

    /// @param secrets asked for the proxy's credentials and for client certificates
    static SessionNetwork of(EffectiveProfile profile, SecretSource secrets) {
        return new SessionNetwork(
                profile.network().resolvers().stream()
                        .flatMap(text -> ResolverAddresses.parse(text).stream())
                        .toList(),
                profile.modelEndpoints().stream()
                        .map(endpoint -> ModelEndpoint.of(endpoint.provider(), URI.create(endpoint.baseUrl())))
                        .toList(),
                profile.network().extraCa().map(Path::of),
                proxy(profile.network(), secrets),
                identities(profile.network().clientCertificates(), secrets));
    }

    /// Throws IOException if the engine cannot do as the profile says; then the doors stay shut.
    public NetworkSettings engineSettings(Path authorityDir) throws IOException {
        NetworkSettings usual =
                NetworkSettings.usual().withAuthority(authority(authorityDir)).withClientIdentities(clientIdentities);
        return extraAuthorities.isPresent() ? usual.withExtraAuthorities(read(extraAuthorities.get())) : usual;
    }

    /// Writes a copy of the extra authorities, for a program that cannot see the file itself. False if there are none.
    /// Throws IOException if they cannot be read.
    public boolean copyAuthorities(Path to) throws IOException {
        if (extraAuthorities.isEmpty()) {
            return false;
        }
        read(extraAuthorities.get());
        Files.write(to, Files.readAllBytes(extraAuthorities.get()));
        return true;
    }

    /// A proxy whose credentials cannot be had is asked without them: it says no, and the guest is told why.
    private static Optional<UpstreamProxy> proxy(dev.capsem.profiles.ProfileNetwork network, SecretSource secrets) {
        return network.upstreamProxy()
                .map(URI::create)
                .map(uri -> new UpstreamProxy(
                        uri.getHost().replaceAll("[\\[\\]]", ""),
                        uri.getPort(),
                        network.proxyCredentials().flatMap(reference -> credentials(reference, secrets))));
    }

    /// One that cannot be had closes its own host and no other.
    private static Map<String, ClientIdentity> identities(Map<String, String> named, SecretSource secrets) {
        Map<String, ClientIdentity> identities = new HashMap<>();
        named.forEach((host, from) -> identities.put(host, identity(from, secrets)));
        return identities;
    }

    private static ClientIdentity identity(String from, SecretSource secrets) {
        try {
            if (from.startsWith("/")) {
                return ClientIdentity.parse(Files.readString(Path.of(from), StandardCharsets.ISO_8859_1));
            }
            Optional<Secret> stored =
                    SecretTemplate.parse(from) instanceof SecretTemplate.Parsed.Ok(SecretTemplate template)
                            ? template.resolve(secrets)
                            : Optional.empty();
            return stored.map(secret -> ClientIdentity.parse(secret.reveal()))
                    .orElse(new ClientIdentity.Missing("there is no secret of that name"));
        } catch (IOException unreadable) {
            return new ClientIdentity.Missing("its file cannot be read");
        } catch (ProfileException unreadable) {
            return new ClientIdentity.Missing("the secrets cannot be read");
        }
    }

    private static Optional<UpstreamProxy.Credentials> credentials(String reference, SecretSource secrets) {
        try {
            return SecretTemplate.parse(reference) instanceof SecretTemplate.Parsed.Ok(SecretTemplate template)
                    ? template.resolve(secrets).map(secret -> new UpstreamProxy.Credentials(secret.reveal()))
                    : Optional.empty();
        } catch (ProfileException unreadable) {
            LoggerFactory.getLogger(SessionNetwork.class)
                    .atWarn()
                    .addKeyValue("problem", unreadable.getMessage())
                    .log("network.proxy_credentials_missing");
            return Optional.empty();
        }
    }

    private static AuthorityKeys authority(Path directory) throws IOException {
        Path key = directory.resolve("capsem-ca.key");
        return Files.exists(key)
                ? AuthorityKeys.parse(Files.readString(key), Files.readString(directory.resolve("capsem-ca.crt")))
                : AuthorityKeys.builtIn();
    }

    private static List<X509Certificate> read(Path pem) throws IOException {
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(pem)))
                    .stream()
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (CertificateException e) {
            throw new IOException("extra_ca is not a file of certificates: " + pem, e);
        }
    }
}
