package dev.capsem.wire.aggregator;

import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.databind.node.ObjectNode;

/// A notification of a server. Its line has an `event` member and no `id`.
public sealed interface AggregatorEvent {
    String server();

    /// The operation in whose course it was said, if that is known.
    OptionalLong call();

    String method();

    Optional<ObjectNode> params();

    /// @param method such as `notifications/progress`; for progress, the params' token means nothing: `call` says whose
    record ServerNotification(String server, OptionalLong call, String method, Optional<ObjectNode> params)
            implements AggregatorEvent {}

    /// @param token to answer with [Operation.Answer]
    /// @param method such as `sampling/createMessage`
    record ServerRequest(String server, OptionalLong call, long token, String method, Optional<ObjectNode> params)
            implements AggregatorEvent {}
}
