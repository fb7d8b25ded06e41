package dev.capsem.http;

import java.nio.ByteBuffer;

/// What a WebSocket's frames mean. They come one at a time: the next is read when the handler is done with the last.
public interface WebSocketHandler {
    void opened(Peer peer);

    /// Whether more frames are wanted.
    boolean text(String frame);

    /// Whether more frames are wanted.
    boolean binary(ByteBuffer frame);

    /// By either side, or because the connection broke. May be told more than once.
    void closed();

    /// The client.
    interface Peer {
        /// Returns whether it was sent; waits until it is.
        boolean send(ByteBuffer frame);

        /// Sends it, then does the rest on the thread that sent it. Does not wait.
        void sendLast(ByteBuffer frame, Runnable then);

        void sendLast(String frame, Runnable then);

        void close();
    }
}
