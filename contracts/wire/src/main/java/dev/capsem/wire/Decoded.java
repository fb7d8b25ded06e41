package dev.capsem.wire;

/// The answer of a codec to the bytes received so far.
public sealed interface Decoded<M> {
    /// @param consumed how many of the given bytes the message took; the rest belongs to the next one
    record Message<M>(M value, int consumed) implements Decoded<M> {}

    record NeedMore<M>() implements Decoded<M> {}

    /// The bytes can never become a message, whatever follows: the connection is over.
    ///
    /// @param reason names the rule that was broken, never the payload
    record Malformed<M>(String reason) implements Decoded<M> {}
}
