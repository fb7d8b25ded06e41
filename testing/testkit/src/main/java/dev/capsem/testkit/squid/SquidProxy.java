package dev.capsem.testkit.squid;

import dev.capsem.testkit.LocalPort;
import dev.capsem.testkit.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// squid on loopback, as a company might run it: nobody passes without user and password, plain HTTP is forwarded, and
/// it resolves names that others cannot. Its access log has a line per request: user, method, target, status.
public final class SquidProxy implements AutoCloseable {
    public static final String USER = "person";
    public static final String PASSWORD = "correct-horse-battery";

    private final Process process;
    private final Path directory;
    private final int port;

    private SquidProxy(Process process, Path directory, int port) {
        this.process = process;
        this.directory = directory;
        this.port = port;
    }

    public static boolean isInstalled() {
        return Programs.find("squid").isPresent();
    }

    /// @param directory for its configuration and logs
    /// @param names that it finds on loopback
    public static SquidProxy start(Path directory, List<String> names) {
        Path program = Programs.find("squid").orElseThrow(() -> new IllegalStateException("squid is not installed"));
        try {
            // A squid that root starts becomes an account of its own, which writes its log here.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            Files.writeString(directory.resolve("hosts"), "127.0.0.1 " + String.join(" ", names) + "\n");
            Path password = Files.writeString(directory.resolve("check-password"), """
                    #!/bin/sh
                    while read -r user password; do
                        [ "$user $password" = "%s %s" ] && echo OK || echo ERR
                    done
                    """.formatted(USER, PASSWORD));
            Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rwxr-xr-x"));
            int port = LocalPort.free();
            Path configuration =
                    Files.writeString(directory.resolve("squid.conf"), configuration(directory, password, port));
            Process process = new ProcessBuilder(program.toString(), "-N", "-f", configuration.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("output.log").toFile())
                    .start();
            SquidProxy proxy = new SquidProxy(process, directory, port);
            LocalPort.await(port, process, directory.resolve("output.log"));
            return proxy;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String configuration(Path directory, Path password, int port) {
        return """
                http_port 127.0.0.1:%2$d
                pid_filename none
                hosts_file %1$s/hosts
                cache deny all
                cache_log %1$s/cache.log
                coredump_dir %1$s
                logformat seen %%un %%rm %%ru %%>Hs
                access_log stdio:%1$s/access.log logformat=seen
                shutdown_lifetime 0 seconds
                auth_param basic program %3$s
                auth_param basic children 1
                auth_param basic realm company
                acl known proxy_auth REQUIRED
                http_access allow known
                http_access deny all
                """.formatted(directory, port, password);
    }

    public int port() {
        return port;
    }

    /// Its own log, line by line. A tunnel gets its line when it ends.
    public List<String> log() {
        try {
            Path log = directory.resolve("access.log");
            return Files.exists(log) ? Files.readAllLines(log) : List.of();
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
