package dev.capsem.dashboard.io;

import dev.capsem.dashboard.DashboardSwitch;
import dev.capsem.http.Front;
import dev.capsem.http.io.LoopbackServer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Serves the dashboard on a port of loopback.
public final class DashboardServer implements DashboardSwitch, AutoCloseable {
    private static final String ADDRESS = "127.0.0.1";

    private @Nullable LoopbackServer serving;

    @Override
    public synchronized int open(int port, Front front) throws IOException {
        close();
        LoopbackServer server = LoopbackServer.start("dashboard", ADDRESS, port, front);
        serving = server;
        return server.port();
    }

    @Override
    public synchronized void close() {
        LoopbackServer server = serving;
        if (server != null) {
            server.close();
            serving = null;
        }
    }
}
