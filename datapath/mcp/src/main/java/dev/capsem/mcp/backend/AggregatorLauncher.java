package dev.capsem.mcp.backend;

import java.io.IOException;
import java.util.Optional;

/// Starts the aggregator, isolated; whoever wires this knows how.
public interface AggregatorLauncher {
    /// Empty if the program is not installed: then there is nothing to wait for. Throws if it did not start this time.
    Optional<AggregatorPipes> launch() throws IOException;
}
