package dev.capsem.testkit.tls;

import dev.capsem.testkit.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A certificate authority in a directory of its own. Its certificates are OpenSSL's work, not ours.
public final class TestAuthority {
    private static final String CONFIG = """
            [ca]
            default_ca = test
            [test]
            new_certs_dir = .
            database = index.txt
            rand_serial = yes
            default_md = sha256
            policy = anything
            unique_subject = no
            [anything]
            commonName = supplied
            [authority]
            basicConstraints = critical, CA:TRUE
            keyUsage = critical, keyCertSign, cRLSign
            subjectKeyIdentifier = hash
            """;

    private final Path directory;
    private final AtomicInteger issued = new AtomicInteger();

    private TestAuthority(Path directory) {
        this.directory = directory;
    }

    /// Makes an authority in an empty directory.
    public static TestAuthority in(Path directory) {
        TestAuthority authority = new TestAuthority(directory);
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("ca.cnf"), CONFIG);
            Files.writeString(directory.resolve("index.txt"), "");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        authority.openssl(
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "3650",
                "-config",
                "ca.cnf",
                "-subj",
                "/CN=Capsem test authority",
                "-extensions",
                "authority",
                "-keyout",
                "ca.key",
                "-out",
                "ca.pem");
        return authority;
    }

    /// Its own certificate, for `extra_ca`.
    public Path certificate() {
        return directory.resolve("ca.pem");
    }

    /// Valid now, for these names; IP addresses are given as such.
    public OriginCertificate issue(String... names) {
        return issue("20200101000000Z", "20991231000000Z", List.of(names));
    }

    public OriginCertificate issueExpired(String... names) {
        return issue("20200101000000Z", "20200201000000Z", List.of(names));
    }

    private synchronized OriginCertificate issue(String from, String until, List<String> names) {
        String id = "origin" + issued.incrementAndGet();
        List<String> alternatives = new ArrayList<>();
        for (String name : names) {
            alternatives.add((name.matches("[0-9.]+|.*:.*") ? "IP:" : "DNS:") + name);
        }
        try {
            Files.writeString(
                    directory.resolve(id + ".ext"),
                    "basicConstraints = CA:FALSE\nextendedKeyUsage = serverAuth\nsubjectAltName = "
                            + String.join(",", alternatives) + "\n");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        openssl(
                "req",
                "-new",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-config",
                "ca.cnf",
                "-subj",
                "/CN=" + names.getFirst(),
                "-keyout",
                id + ".key",
                "-out",
                id + ".csr");
        openssl(
                "ca",
                "-batch",
                "-config",
                "ca.cnf",
                "-cert",
                "ca.pem",
                "-keyfile",
                "ca.key",
                "-in",
                id + ".csr",
                "-startdate",
                from,
                "-enddate",
                until,
                "-extfile",
                id + ".ext",
                "-notext",
                "-out",
                id + ".pem");
        return new OriginCertificate(directory.resolve(id + ".pem"), directory.resolve(id + ".key"));
    }

    private void openssl(String... arguments) {
        List<String> argv = new ArrayList<>(List.of("openssl"));
        argv.addAll(List.of(arguments));
        Programs.run(directory, argv);
    }
}
