package dev.capsem.testkit.nginx;

import dev.capsem.testkit.LocalPort;
import dev.capsem.testkit.Programs;
import dev.capsem.testkit.tls.OriginCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// nginx on loopback with HTTP/1.1 and HTTP/2 at one port. Serves the files of a directory; its access log has a line
/// per request: protocol, method, target, status, whether its TLS session was resumed, connection number.
public final class NginxOrigin implements AutoCloseable {
    private final Process process;
    private final Path directory;
    private final int port;
    private final int closingPort;

    private NginxOrigin(Process process, Path directory, int port, int closingPort) {
        this.process = process;
        this.directory = directory;
        this.port = port;
        this.closingPort = closingPort;
    }

    public static boolean isInstalled() {
        return Programs.find("nginx").isPresent();
    }

    /// @param directory for its files, configuration and logs
    public static NginxOrigin start(Path directory, OriginCertificate certificate) {
        Path program = Programs.find("nginx").orElseThrow(() -> new IllegalStateException("nginx is not installed"));
        try {
            Files.createDirectories(directory.resolve("files"));
            Files.createDirectories(directory.resolve("temp"));
            int port = LocalPort.free();
            int closingPort = LocalPort.free();
            Files.writeString(
                    directory.resolve("nginx.conf"), configuration(directory, certificate, port, closingPort));
            Process process = new ProcessBuilder(
                            program.toString(),
                            "-p",
                            directory.toString(),
                            "-e",
                            directory.resolve("error.log").toString(),
                            "-c",
                            directory.resolve("nginx.conf").toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("output.log").toFile())
                    .start();
            NginxOrigin origin = new NginxOrigin(process, directory, port, closingPort);
            LocalPort.await(port, process, directory.resolve("output.log"));
            return origin;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String configuration(Path directory, OriginCertificate certificate, int port, int closingPort) {
        String temp = directory.resolve("temp").toString();
        return """
                daemon off;
                master_process off;
                pid %1$s/nginx.pid;
                events { worker_connections 2048; }
                http {
                    log_format seen '$server_protocol $request_method $request_uri $status $ssl_session_reused $connection';
                    access_log %2$s/access.log seen;
                    client_body_temp_path %1$s/body;
                    proxy_temp_path %1$s/proxy;
                    fastcgi_temp_path %1$s/fastcgi;
                    uwsgi_temp_path %1$s/uwsgi;
                    scgi_temp_path %1$s/scgi;
                    default_type text/plain;
                    gzip_types text/plain;
                    server {
                        listen 127.0.0.1:%3$d ssl http2;
                        ssl_certificate %4$s;
                        ssl_certificate_key %5$s;
                        ssl_session_cache shared:sessions:1m;
                        root %2$s/files;
                        location /gzip/ { alias %2$s/files/; gzip on; gzip_min_length 1; }
                        location = /none { return 204; }
                        location = /away { return 302 /text; }
                        location = /gone { return 410 "gone\\n"; }
                    }
                    server {
                        listen 127.0.0.1:%6$d ssl;
                        ssl_certificate %4$s;
                        ssl_certificate_key %5$s;
                        ssl_session_cache shared:sessions:1m;
                        keepalive_timeout 0;
                        root %2$s/files;
                    }
                }
                """.formatted(temp, directory, port, certificate.chain(), certificate.key(), closingPort);
    }

    public int port() {
        return port;
    }

    /// Serves the same files over HTTP/1.1 and closes after each answer.
    public int closingPort() {
        return closingPort;
    }

    public NginxOrigin file(String name, byte[] content) {
        try {
            Files.write(directory.resolve("files").resolve(name), content);
            return this;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /// Its own log, line by line.
    public List<String> log() {
        try {
            return Files.readAllLines(directory.resolve("access.log"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
