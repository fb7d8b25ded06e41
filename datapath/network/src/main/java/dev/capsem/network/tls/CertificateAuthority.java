package dev.capsem.network.tls;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.capsem.network.address.AddressLiterals;
import java.math.BigInteger;
import java.net.InetAddress;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/// Makes the certificate under which the sandbox sees a host: one at a time per host, kept until half its life is
/// over. Safe for many threads; a host that is not in the cache costs the caller a signature.
public final class CertificateAuthority {
    static final Duration VALIDITY = Duration.ofHours(24);

    /// For guests whose clock is behind.
    static final Duration BACK_DATING = Duration.ofHours(1);

    /// A leaf is made anew after this, so that none in use ever comes near its end.
    static final Duration RENEWAL = Duration.ofHours(12);

    static final int LEAVES_MAX = 10_000;

    /// Longest name that fits X.520's common name; the alternative name, which is what clients read, has no such limit.
    private static final int COMMON_NAME_MAX = 64;

    /// A certificate with its issuer, and the key that goes with it.
    ///
    /// @param chain the leaf, then the authority
    public record Leaf(PrivateKey key, List<X509Certificate> chain) {
        public Leaf {
            chain = List.copyOf(chain);
        }

        @Override
        public String toString() {
            return "Leaf[" + chain.get(0).getSubjectX500Principal() + ", ***]";
        }
    }

    private final AuthorityKeys authority;
    private final InstantSource clock;
    private final SecureRandom random;
    private final byte[] issuer;
    /// One key for all leaves: hosts are told apart by their certificates, and a key pair costs as much as a signature.
    private final KeyPair leafKey;
    private final Cache<String, Leaf> leaves;
    private final LongAdder minted = new LongAdder();

    public CertificateAuthority(AuthorityKeys authority, InstantSource clock, SecureRandom random) {
        this.authority = authority;
        this.clock = clock;
        this.random = random;
        this.issuer = authority.certificate().getSubjectX500Principal().getEncoded();
        this.leafKey = AuthorityKeys.newPair(random);
        this.leaves = Caffeine.newBuilder()
                .maximumSize(LEAVES_MAX)
                .expireAfterWrite(RENEWAL)
                .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
                .build();
    }

    /// @param host a name in lower case, or an address literal without brackets
    public Leaf leaf(String host) {
        return leaves.get(host, this::mint);
    }

    /// How many leaves were made so far.
    public long minted() {
        return minted.sum();
    }

    public X509Certificate certificate() {
        return authority.certificate();
    }

    private Leaf mint(String host) {
        minted.increment();
        Instant now = clock.instant();
        BigInteger serial = AuthorityKeys.newSerial(random);
        CertificateBuilder builder = new CertificateBuilder(
                        serial,
                        issuer,
                        CertificateBuilder.name(host.length() <= COMMON_NAME_MAX ? host : ""),
                        now.minus(BACK_DATING),
                        now.minus(BACK_DATING).plus(VALIDITY),
                        leafKey.getPublic())
                .server()
                .signedWith(authority.certificate().getPublicKey());
        Optional<InetAddress> address = AddressLiterals.parse(host);
        if (address.isPresent()) {
            builder.address(address.get());
        } else {
            builder.dnsName(host);
        }
        return new Leaf(leafKey.getPrivate(), List.of(builder.signed(authority.key()), authority.certificate()));
    }
}
