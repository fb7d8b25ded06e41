package dev.capsem.mcp.backend;

import java.io.IOException;
import java.io.OutputStream;

/// Where the aggregator's server definitions come from. They hold secrets, so they are streamed from their store into
/// the pipe and kept nowhere in between.
public interface Definitions {
    /// Writes a JSON array without line feeds, and does not close the stream.
    void writeTo(OutputStream out) throws IOException;
}
