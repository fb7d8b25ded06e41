package dev.capsem.network.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Our identity towards a server that asks for a client certificate.
public sealed interface ClientIdentity {
    /// @param chain the key's own certificate first
    record Held(PrivateKey key, List<X509Certificate> chain) implements ClientIdentity {
        public Held {
            chain = List.copyOf(chain);
        }

        @Override
        public String toString() {
            return "Held[" + chain.getFirst().getSubjectX500Principal() + ", ***]";
        }
    }

    /// The host wants one that cannot be had. Going there without it would only hide why.
    ///
    /// @param reason in words that the guest may read: no path, nothing of the key
    record Missing(String reason) implements ClientIdentity {}

    /// @param pem certificates and one key, in any order
    static ClientIdentity parse(String pem) {
        return Pem.read(pem);
    }

    /// Reads the usual file of a client: `-----BEGIN CERTIFICATE-----` and `-----BEGIN PRIVATE KEY-----`.
    final class Pem {
        private static final Pattern BLOCK =
                Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

        private Pem() {}

        static ClientIdentity read(String pem) {
            List<X509Certificate> chain = new ArrayList<>();
            Optional<byte[]> key = Optional.empty();
            try {
                Matcher blocks = BLOCK.matcher(pem);
                while (blocks.find()) {
                    if (blocks.group(1).equals("CERTIFICATE")) {
                        chain.add(certificate(blocks.group()));
                    } else if (blocks.group(1).equals("PRIVATE KEY")) {
                        key = Optional.of(Base64.getMimeDecoder().decode(blocks.group(2)));
                    } else if (blocks.group(1).endsWith("PRIVATE KEY")) {
                        return new Missing("its key is not plain PKCS #8; convert it: openssl pkcs8 -topk8 -nodes");
                    }
                }
                if (chain.isEmpty() || key.isEmpty()) {
                    return new Missing("it needs a certificate and its private key, both PEM");
                }
                return held(key.get(), chain);
            } catch (GeneralSecurityException | IllegalArgumentException malformed) {
                return new Missing("its certificate or its key cannot be read");
            }
        }

        private static ClientIdentity held(byte[] encoded, List<X509Certificate> chain)
                throws GeneralSecurityException {
            PublicKey known = chain.getFirst().getPublicKey();
            PrivateKey key =
                    KeyFactory.getInstance(known.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            String algorithm = switch (known.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> known.getAlgorithm();
            };
            byte[] words = "capsem".getBytes(StandardCharsets.US_ASCII);
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(words);
            Signature checking = Signature.getInstance(algorithm);
            checking.initVerify(known);
            checking.update(words);
            return checking.verify(signing.sign())
                    ? new Held(key, chain)
                    : new Missing("the private key is not the first certificate's");
        }

        private static X509Certificate certificate(String block) throws GeneralSecurityException {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(block.getBytes(StandardCharsets.US_ASCII)));
        }
    }
}
