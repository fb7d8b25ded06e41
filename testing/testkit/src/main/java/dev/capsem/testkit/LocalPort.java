package dev.capsem.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// Ports of loopback for programs that are told where to listen.
public final class LocalPort {
    private static final int ATTEMPTS_MAX = 200;

    private LocalPort() {}

    public static int free() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    /// Returns when the program listens; says what its log says when it does not.
    public static void await(int port, Process program, Path log) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return;
            } catch (IOException notYet) {
                if (!program.isAlive()) {
                    throw new IOException("the program ended: " + Files.readString(log), notYet);
                }
                pause();
            }
        }
        throw new IOException("nobody listens at port " + port + ": " + Files.readString(log));
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
