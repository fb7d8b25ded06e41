package dev.capsem.exchange.http;

/// A piece of a body. An exchange counts it, has it read by a [BodyReader] and passes it on as it is.
public interface Chunk {
    /// The end of a body, and nothing else.
    Chunk END = new OwnBytes(new byte[0]);

    int size();

    /// Whether the message ends with it.
    boolean isLast();

    /// Nobody needs it any more.
    void release();
}
