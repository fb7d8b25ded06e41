package dev.capsem.network.tls;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OpenSslServerContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;

/// The TLS server that the sandbox sees, one context per host so that sessions resume for the host they were made
/// for and no other.
public final class GuestTls {
    /// A context holds native memory; a host beyond these costs its next connection about a millisecond.
    static final int CONTEXTS_MAX = 1_000;

    /// Together with the leaf's renewal less than a leaf's life.
    static final Duration CONTEXT_AGE_MAX = Duration.ofHours(6);

    private static final ApplicationProtocolConfig PROTOCOLS = new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_2,
            ApplicationProtocolNames.HTTP_1_1);

    private final CertificateAuthority authority;
    private final SecureRandom random;
    private final AsyncCache<String, SslContext> contexts;

    /// @param minting where signatures are made: not an event loop
    public GuestTls(CertificateAuthority authority, SecureRandom random, Executor minting) {
        this.authority = authority;
        this.random = random;
        this.contexts = Caffeine.newBuilder()
                .maximumSize(CONTEXTS_MAX)
                .expireAfterWrite(CONTEXT_AGE_MAX)
                .executor(minting)
                .buildAsync();
    }

    /// Done at once for a host that was seen lately.
    public CompletableFuture<SslContext> context(String host) {
        return contexts.get(host, this::build);
    }

    private SslContext build(String host) {
        CertificateAuthority.Leaf leaf = authority.leaf(host);
        try {
            SslContext context = SslContextBuilder.forServer(
                            leaf.key(), leaf.chain().toArray(X509Certificate[]::new))
                    .sslProvider(SslProvider.OPENSSL)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .applicationProtocolConfig(PROTOCOLS)
                    .build();
            // Netty leaves tickets off until it is given keys; without tickets TLS 1.3 does not resume at all.
            ((OpenSslServerContext) context).sessionContext().setTicketKeys(newTicketKey());
            return context;
        } catch (SSLException failure) {
            throw new IllegalStateException("no TLS context for " + host, failure);
        }
    }

    private OpenSslSessionTicketKey newTicketKey() {
        return new OpenSslSessionTicketKey(
                randomBytes(OpenSslSessionTicketKey.NAME_SIZE),
                randomBytes(OpenSslSessionTicketKey.HMAC_KEY_SIZE),
                randomBytes(OpenSslSessionTicketKey.AES_KEY_SIZE));
    }

    private byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
