package dev.capsem.events.traffic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Optional;

/// Takes over connections of port 5002 that turned out to carry framed MCP.
public interface ConnectionHandoff {
    /// Serves the connection until it is over. Called on its own virtual thread; the caller closes the channel.
    ///
    /// @param received what was read of the stream already, from its first frame on
    /// @param processName the guest's claim
    void serve(ByteChannel channel, ByteBuffer received, Optional<String> processName) throws IOException;
}
