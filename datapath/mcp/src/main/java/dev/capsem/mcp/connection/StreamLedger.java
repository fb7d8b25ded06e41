package dev.capsem.mcp.connection;

/// Which streams a connection has used: ids only go up, so none is ever used twice. Not safe for more than one thread.
final class StreamLedger {
    private long highest;

    /// False if the id was used before, or passed over: a breach of the protocol that ends the connection.
    boolean open(long streamId) {
        if (streamId <= highest) {
            return false;
        }
        highest = streamId;
        return true;
    }
}
