package dev.capsem.dashboard;

import dev.capsem.http.Front;
import java.io.IOException;

/// Opens and closes the dashboard's port.
public interface DashboardSwitch {
    /// Serves there, in place of what it served before.
    ///
    /// @param port 0 for any
    /// @return the port
    int open(int port, Front front) throws IOException;

    void close();
}
