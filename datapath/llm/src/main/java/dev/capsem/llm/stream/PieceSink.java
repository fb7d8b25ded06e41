package dev.capsem.llm.stream;

/// Takes the pieces of a reply.
public interface PieceSink {
    /// @param type the event's name, or empty if it has none
    /// @param buffer the sink's only during the call
    void piece(String type, byte[] buffer, int from, int to);

    /// A piece was over the limit and is lost; the next ones are not.
    void oversized(String type);

    /// The bytes are not those of the format: what they carried is lost.
    default void malformed(String type) {
        oversized(type);
    }
}
