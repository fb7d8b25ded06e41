package dev.capsem.testkit.upstreams;

import dev.capsem.testkit.dns.DnsOrigin;
import dev.capsem.testkit.grpc.GrpcOrigin;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.nginx.NginxOrigin;
import dev.capsem.testkit.tls.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.stream.Stream;

/// An outside world of its own: an authority, a name server, and origins that are added by name. Everything listens on
/// loopback; [#close] ends it all and leaves no file.
public final class Upstreams implements AutoCloseable {
    /// Where an origin is reached from.
    public record Place(String host, int port) {
        public String url(String path) {
            return "https://" + host + ":" + port + path;
        }
    }

    private final Path directory;
    private final TestAuthority authority;
    private final DnsOrigin dns = new DnsOrigin();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public Upstreams() {
        try {
            // Readable by all: services of other accounts read the authority's certificate.
            directory = Files.createTempDirectory(
                    Path.of("/tmp"),
                    "csup",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        authority = TestAuthority.in(directory.resolve("authority"));
        open.push(dns);
    }

    public TestAuthority authority() {
        return authority;
    }

    public DnsOrigin dns() {
        return dns;
    }

    /// A new directory, gone at the end.
    public Path directory(String name) {
        try {
            return Files.createDirectories(directory.resolve(name));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /// An HTTPS origin with a certificate for its name and for `localhost`; the name server knows it.
    public HttpOrigin https(String name, HttpOrigin.Handler handler) {
        dns.address(name, "127.0.0.1");
        return keep(HttpOrigin.secure(authority.issue(name, "localhost"), handler));
    }

    public HttpOrigin http(String name, HttpOrigin.Handler handler) {
        dns.address(name, "127.0.0.1");
        return keep(HttpOrigin.plain(handler));
    }

    public GrpcOrigin grpc(String name) {
        dns.address(name, "127.0.0.1");
        return keep(new GrpcOrigin(authority.issue(name, "localhost")));
    }

    public NginxOrigin nginx(String name) {
        dns.address(name, "127.0.0.1");
        return keep(NginxOrigin.start(directory("nginx-" + name), authority.issue(name, "localhost")));
    }

    public <T extends AutoCloseable> T keep(T origin) {
        open.push(origin);
        return origin;
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
