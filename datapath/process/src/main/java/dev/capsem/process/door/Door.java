package dev.capsem.process.door;

import java.io.IOException;
import java.nio.channels.ByteChannel;

/// Deals with one connection from the guest. Whoever calls it bounds its time and closes the channel.
public interface Door {
    void serve(ByteChannel connection) throws IOException;
}
