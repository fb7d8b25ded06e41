package dev.capsem.bench.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Processes that the bench starts, watches and ends.
final class Children {
    private static final int TRIES_MAX = 200;
    private static final long TRY_MILLIS = 50;
    /// Of /proc/PID/stat: user and system time, counted from the field after the name.
    private static final int USER_TICKS_FIELD = 11;

    private static final double TICKS_PER_SECOND = 100;

    private Children() {}

    /// Starts one of them, later.
    interface Starter {
        Process start() throws IOException;
    }

    static Process start(List<String> argv) throws IOException {
        return new ProcessBuilder(argv)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /// A JVM as capsem-process is one: its flags, its class path with the bench behind it, and its start-up cache.
    static Process engine(String main, String... arguments) throws IOException {
        List<String> flags = new ArrayList<>(List.of(
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders",
                "-Xss512k",
                "-Xms10m",
                "-Xmx320m",
                "-XX:NewSize=5m",
                "-XX:MaxNewSize=96m",
                "-XX:MaxDirectMemorySize=256m",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED"));
        Path dist = Path.of(System.getProperty("capsem.dist", "dist")).toAbsolutePath();
        Path cache = dist.resolve("aot/capsem-process.aot");
        if (!Files.isRegularFile(dist.resolve("lib/process.classpath"))) {
            return java(flags, System.getProperty("java.class.path"), main, arguments);
        }
        flags.add("-Dorg.sqlite.lib.path=" + dist.resolve("libexec"));
        flags.add("-Djava.library.path=" + dist.resolve("libexec"));
        if (Files.isRegularFile(cache)) {
            flags.add("-XX:AOTCache=" + cache);
            flags.add("-Xlog:disable");
        }
        return java(flags, engineClassPath(dist), main, arguments);
    }

    /// A start-up cache is good for a class path that begins with its own.
    private static String engineClassPath(Path dist) throws IOException {
        Set<String> jars = new LinkedHashSet<>(Files.readAllLines(dist.resolve("lib/process.classpath")));
        Files.readAllLines(dist.resolve("lib/bench.classpath")).stream()
                .filter(jar -> jar.startsWith("bench-"))
                .forEach(jars::add);
        return jars.stream().map(jar -> dist.resolve("lib") + "/" + jar).collect(Collectors.joining(":"));
    }

    /// A JVM as it comes, for programs of others.
    static Process peer(String main, String... arguments) throws IOException {
        return java(List.of("-Xmx1g"), System.getProperty("java.class.path"), main, arguments);
    }

    private static Process java(List<String> flags, String classPath, String main, String... arguments)
            throws IOException {
        List<String> argv = new ArrayList<>();
        argv.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        argv.addAll(flags);
        // Warnings of third parties' code say nothing about what is measured.
        argv.addAll(List.of("-Dslf4j.internal.verbosity=ERROR", "--sun-misc-unsafe-memory-access=allow"));
        argv.addAll(List.of("-cp", classPath, main));
        argv.addAll(List.of(arguments));
        Process process = new ProcessBuilder(argv)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (!"ready".equals(out.readLine())) {
            end(process);
            throw new IOException(main + " did not start");
        }
        return process;
    }

    static void awaitPort(int port) throws IOException {
        for (int i = 0; i < TRIES_MAX; i++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return;
            } catch (IOException notYet) {
                pause();
            }
        }
        throw new IOException("nobody listens at port " + port);
    }

    static double cpuSeconds(Process process) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[USER_TICKS_FIELD]) + Long.parseLong(fields[USER_TICKS_FIELD + 1]))
                / TICKS_PER_SECOND;
    }

    static double residentMegabytes(Process process) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0;
            }
        }
        throw new IOException("the process is gone");
    }

    static void end(Process process) {
        process.destroy();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(TRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a port", e);
        }
    }
}
