package dev.capsem.backends.upstream;

import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.util.Optional;
import java.util.OptionalLong;

/// Carries messages to one server and back.
interface Transport extends AutoCloseable {
    /// Takes what the server sends. Must not wait.
    interface Inbox {
        /// @param call the operation in whose course it came, if the transport can tell
        void received(JsonRpcMessage message, OptionalLong call);

        /// The answer to a request came, and cannot be used.
        ///
        /// @param id whose answer it was; empty if that cannot be told, and then it may be anybody's
        void spoiled(Optional<JsonRpcId> id, String reason);

        /// Nothing more will come.
        void lost(String reason);
    }

    /// Sends a message. Of a request whose answer comes on the same exchange, returns when that exchange is over.
    ///
    /// @param call the operation that it belongs to
    /// @param handle can be closed by another thread to give up waiting
    void send(JsonRpcMessage message, OptionalLong call, Handle handle) throws UpstreamException;

    /// Whether [#send] only ever writes, so that it needs no thread of its own.
    default boolean isImmediate() {
        return false;
    }

    /// The handshake is done: this is what both sides speak from now on.
    void negotiated(String version);

    @Override
    void close();
}
