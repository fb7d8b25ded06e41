package dev.capsem.bench.net;

import dev.capsem.bench.BenchPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// nginx with one worker: 200 bytes at `/small`, 100 kB at `/large`, over TLS; at another port it speaks HTTP/2 too.
final class BenchOrigin implements AutoCloseable {
    static final String HOST = "localhost";

    private final Process process;
    private final int port;
    private final int http2Port;
    private final Path certificate;
    private final Path key;

    private BenchOrigin(Process process, int port, int http2Port, Path certificate, Path key) {
        this.process = process;
        this.port = port;
        this.http2Port = http2Port;
        this.certificate = certificate;
        this.key = key;
    }

    static BenchOrigin start(String nginx, Path directory, int port, int http2Port) throws IOException {
        Path certificate = directory.resolve("origin.crt");
        Path key = directory.resolve("origin.key");
        int made = BenchPrograms.run(List.of(
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
                key.toString(),
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
                    ssl_certificate origin.crt;
                    ssl_certificate_key origin.key;
                    ssl_session_cache shared:s:10m;
                    server {
                        listen 127.0.0.1:%d ssl backlog=1024;
                        root www;
                    }
                    server {
                        listen 127.0.0.1:%d ssl http2 backlog=1024;
                        root www;
                    }
                }
                """.formatted(port, http2Port));
        Process process = Children.start(List.of(
                nginx,
                "-p",
                directory.toString(),
                "-c",
                directory.resolve("nginx.conf").toString()));
        return new BenchOrigin(process, port, http2Port, certificate, key);
    }

    int port() {
        return port;
    }

    int http2Port() {
        return http2Port;
    }

    Path key() {
        return key;
    }

    Path certificate() {
        return certificate;
    }

    @Override
    public void close() {
        Children.end(process);
    }
}
