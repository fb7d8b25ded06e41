package dev.capsem.sandbox.bwrap.io;

import dev.capsem.sandbox.trust.AuthorityCertificate;
import dev.capsem.sandbox.trust.GuestTrust;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/// Puts the authority into a base template. The template's `/etc` is a copy of the host's, links included: none of them
/// is followed, as it would lead to the host's own files.
public final class TrustFiles {
    /// Where distributions keep the one file of all roots. Links between these are left alone: they lead to another.
    private static final List<String> BUNDLES = List.of(
            "etc/ssl/certs/ca-certificates.crt",
            "etc/ssl/cert.pem",
            "etc/ssl/ca-bundle.pem",
            "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
            "etc/pki/tls/certs/ca-bundle.crt",
            "etc/pki/tls/cert.pem",
            "etc/ca-certificates/extracted/tls-ca-bundle.pem");

    private static final List<String> JAVA_STORES =
            List.of("etc/ssl/certs/java/cacerts", "etc/pki/ca-trust/extracted/java/cacerts");
    /// Directories that OpenSSL searches by the hash of a name.
    private static final List<String> HASHED = List.of("etc/ssl/certs", "etc/pki/tls/certs");
    /// From here the distributions' own tools make the bundles anew.
    private static final List<String> SOURCES =
            List.of("etc/pki/ca-trust/source/anchors", "etc/ca-certificates/trust-source/anchors");

    private static final String NAME = "capsem-ca.crt";
    private static final String FILE_MODE = "rw-r--r--";
    private static final String DIRECTORY_MODE = "rwxr-xr-x";

    private final Path template;
    private final AuthorityCertificate authority;

    private TrustFiles(Path template, AuthorityCertificate authority) {
        this.template = template;
        this.authority = authority;
    }

    /// The authority that sandboxes of this home are to trust: a private one, or else the built-in one.
    ///
    /// @param privateCertificate need not exist
    public static AuthorityCertificate authority(Path privateCertificate) throws IOException {
        try {
            return AuthorityCertificate.parse(Files.readString(privateCertificate, StandardCharsets.US_ASCII));
        } catch (NoSuchFileException e) {
            return AuthorityCertificate.builtIn();
        } catch (IllegalArgumentException e) {
            throw new IOException(privateCertificate + ": " + e.getMessage(), e);
        }
    }

    /// @param template with its layers `etc` and `usr-local`, not yet in use
    public static void write(Path template, AuthorityCertificate authority) throws IOException {
        new TrustFiles(template, authority).write();
    }

    private void write() throws IOException {
        String hostBundle = "";
        for (String name : BUNDLES) {
            Optional<Path> bundle = ownFile(name);
            if (bundle.isPresent()) {
                String text = Files.readString(bundle.get(), StandardCharsets.ISO_8859_1);
                hostBundle = hostBundle.isEmpty() ? text : hostBundle;
                replace(bundle.get(), latin1(GuestTrust.bundle(text, authority)));
            }
        }
        String bundle = GuestTrust.bundle(hostBundle, authority);
        put(GuestTrust.CERTIFICATE, latin1(authority.pem()));
        put(GuestTrust.BUNDLE, latin1(bundle));
        put(GuestTrust.TRUST_STORE, GuestTrust.trustStore(bundle, authority));
        put("/etc/profile.d/capsem.sh", latin1(GuestTrust.profileScript()));
        writeJavaStores();
        for (String directory : HASHED) {
            if (ownDirectory(directory)) {
                put("/" + directory + "/" + authority.subjectHash() + ".0", latin1(authority.pem()));
            }
        }
        for (String directory : SOURCES) {
            if (ownDirectory(directory)) {
                put("/" + directory + "/" + NAME, latin1(authority.pem()));
            }
        }
        put("/usr-local/share/ca-certificates/" + NAME, latin1(authority.pem()));
    }

    private void writeJavaStores() throws IOException {
        for (String name : JAVA_STORES) {
            Optional<Path> store = ownFile(name);
            if (store.isPresent()) {
                byte[] changed = GuestTrust.withAuthority(Files.readAllBytes(store.get()), authority);
                if (changed.length > 0) {
                    replace(store.get(), changed);
                }
            }
        }
    }

    /// A file of the template itself, with no link on the way to it.
    private Optional<Path> ownFile(String name) {
        Path file = template.resolve(name);
        return ownDirectory(directoryOf(name)) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                ? Optional.of(file)
                : Optional.empty();
    }

    private boolean ownDirectory(String name) {
        Path directory = template;
        for (Path part : Path.of(name)) {
            directory = directory.resolve(part);
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
        }
        return true;
    }

    /// Makes the directories on the way where there is nothing; does without the file where there is a link.
    private void put(String guestPath, byte[] bytes) throws IOException {
        String name = guestPath.substring(1);
        Path directory = template;
        for (Path part : Path.of(directoryOf(name))) {
            directory = directory.resolve(part);
            if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(DIRECTORY_MODE));
            }
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
        }
        replace(template.resolve(name), bytes);
    }

    private static String directoryOf(String name) {
        return name.substring(0, name.lastIndexOf('/'));
    }

    /// By a new file in its place: a link there is replaced, not followed.
    private static void replace(Path file, byte[] bytes) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".capsem-new");
        Files.write(fresh, bytes);
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString(FILE_MODE));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
