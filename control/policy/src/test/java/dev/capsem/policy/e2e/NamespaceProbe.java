package dev.capsem.policy.e2e;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// Run inside a network namespace by [NftablesE2eTest]: `listen PORT…` until killed, or `connect HOST PORT`.
final class NamespaceProbe {
    private NamespaceProbe() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args[0].equals("connect")) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.ofLiteral(args[1]), Integer.parseInt(args[2])), 1_500);
                System.out.println("connected");
            } catch (IOException e) {
                System.out.println("refused");
            }
            return;
        }
        for (int i = 1; i < args.length; i++) {
            ServerSocket listener = new ServerSocket(Integer.parseInt(args[i]));
            Thread.ofPlatform().daemon().start(() -> accept(listener));
        }
        System.out.println("listening");
        Thread.sleep(60_000);
    }

    private static void accept(ServerSocket listener) {
        try {
            while (true) {
                listener.accept().close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
