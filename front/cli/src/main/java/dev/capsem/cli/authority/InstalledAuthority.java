package dev.capsem.cli.authority;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// The authority that new sandboxes get.
///
/// @param file its certificate; none for the built-in one
record InstalledAuthority(AuthorityKeys keys, Optional<Path> file) {
    /// A program outside of a sandbox that trusts the built-in certificate can be read by everybody who has its key.
    static final String PUBLIC = "the key of the built-in authority is public: never import its certificate into a"
            + " browser or a host; make a private one: `capsem ca generate`";

    static HomeLayout layout(CliContext context) {
        return HomeLayout.of(
                context.environment(),
                Path.of(System.getProperty("user.home")),
                Path.of(System.getProperty("java.io.tmpdir")));
    }

    static InstalledAuthority of(HomeLayout layout) {
        Path key = layout.authorityKey();
        if (!Files.exists(key)) {
            return new InstalledAuthority(AuthorityKeys.builtIn(), Optional.empty());
        }
        Path certificate = layout.authorityCertificate();
        try {
            return new InstalledAuthority(
                    AuthorityKeys.parse(Files.readString(key), Files.readString(certificate)),
                    Optional.of(certificate));
        } catch (IOException unreadable) {
            throw damaged(certificate.getParent() + " cannot be read: " + unreadable.getMessage());
        } catch (IllegalArgumentException malformed) {
            throw damaged(key + " and " + certificate.getFileName() + ": " + malformed.getMessage());
        }
    }

    private static CliProblem damaged(String cause) {
        return CliProblem.of(
                "authority_damaged", cause, "make a new pair: `capsem ca generate --force`; until then no network");
    }

    String source() {
        return file.map(Path::toString).orElse("built-in");
    }

    /// `AB:CD:…`, as browsers and openssl show it.
    String fingerprint() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(keys.certificate().getEncoded());
            return HexFormat.ofDelimiter(":").withUpperCase().formatHex(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256, and every certificate an encoding", e);
        }
    }

    String subject() {
        return certificate().getSubjectX500Principal().getName();
    }

    Instant notBefore() {
        return certificate().getNotBefore().toInstant().truncatedTo(ChronoUnit.SECONDS);
    }

    Instant notAfter() {
        return certificate().getNotAfter().toInstant().truncatedTo(ChronoUnit.SECONDS);
    }

    private X509Certificate certificate() {
        return keys.certificate();
    }

    ObjectNode toJson() {
        return Json.object()
                .put("source", file.isPresent() ? "private" : "built_in")
                .put("certificate", source())
                .put("subject", subject())
                .put("sha256", fingerprint().replace(":", "").toLowerCase(Locale.ROOT))
                .put("not_before", notBefore().toString())
                .put("not_after", notAfter().toString());
    }
}
