package dev.capsem.toolserver;

import dev.capsem.wire.jsonrpc.JsonRpcMessage;

/// The way to a client. Safe for several threads; never throws, a client that is gone is told nothing.
@FunctionalInterface
public interface Outlet {
    void send(JsonRpcMessage message);
}
