package dev.capsem.bench.net;

import dev.capsem.bench.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// nginx with one worker: 200 bytes at `/small`, 100 kB at `/large`, over TLS.
final class Origin implements AutoCloseable {
    static final String HOST = "localhost";

    private final Process process;
    private final int port;
    private final Path certificate;

    private Origin(Process process, int port, Path certificate) {
        this.process = process;
        this.port = port;
        this.certificate = certificate;
    }

    static Origin start(String nginx, Path directory, int port) throws IOException {
        Path certificate = directory.resolve("origin.crt");
        int made = Programs.run(List.of(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=" + HOST,
                "-addext",
                "subjectAltName=DNS:" + HOST,
                "-keyout",
                directory.resolve("origin.key").toString(),
                "-out",
                certificate.toString()));
        if (made != 0) {
            throw new IOException("openssl could not make the origin's certificate");
        }
        Files.write(Files.createDirectories(directory.resolve("www")).resolve("small"), new byte[200]);
        Files.write(directory.resolve("www/large"), new byte[100_000]);
        Files.writeString(directory.resolve("nginx.conf"), """
                daemon off;
                user root;
                worker_processes 1;
                pid nginx.pid;
                error_log stderr crit;
                events { worker_connections 4096; }
                http {
                    access_log off;
                    keepalive_requests 100000000;
                    open_file_cache max=10;
                    client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
                    uwsgi_temp_path tmp; scgi_temp_path tmp;
                    server {
                        listen 127.0.0.1:%d ssl backlog=1024;
                        ssl_certificate origin.crt;
                        ssl_certificate_key origin.key;
                        ssl_session_cache shared:s:10m;
                        root www;
                    }
                }
                """.formatted(port));
        Process process = Children.start(List.of(
                nginx,
                "-p",
                directory.toString(),
                "-c",
                directory.resolve("nginx.conf").toString()));
        return new Origin(process, port, certificate);
    }

    int port() {
        return port;
    }

    Path certificate() {
        return certificate;
    }

    @Override
    public void close() {
        Children.end(process);
    }
}
