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
import java.util.List;

/// Processes that the bench starts, watches and ends.
final class Children {
    private static final int TRIES_MAX = 200;
    private static final long TRY_MILLIS = 50;
    /// Of /proc/PID/stat: user and system time, counted from the field after the name.
    private static final int USER_TICKS_FIELD = 11;

    private static final double TICKS_PER_SECOND = 100;

    private Children() {}

    static Process start(List<String> argv) throws IOException {
        return new ProcessBuilder(argv)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /// A JVM with the flags that capsem-process has and the bench's own class path.
    static Process java(String main, String... arguments) throws IOException {
        List<String> flags = List.of(
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders",
                "-Xss512k",
                "-Xms10m",
                "-Xmx320m",
                "-XX:NewSize=5m",
                "-XX:MaxNewSize=96m",
                "-XX:MaxDirectMemorySize=256m",
                "--enable-native-access=ALL-UNNAMED");
        return java(flags, main, arguments);
    }

    /// A JVM as it comes, for programs of others.
    static Process peer(String main, String... arguments) throws IOException {
        return java(List.of("-Xmx1g"), main, arguments);
    }

    private static Process java(List<String> flags, String main, String... arguments) throws IOException {
        List<String> argv = new ArrayList<>();
        argv.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        argv.addAll(flags);
        argv.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
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
