package dev.capsem.sandboxserver.gateway;

import dev.capsem.http.WebSocketHandler;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A WebSocket that ends when its token is no longer in force: neither side hears another word of the other.
final class RevocableSocket implements WebSocketHandler {
    private final WebSocketHandler handler;
    private final BooleanSupplier isInForce;
    private volatile @Nullable Peer client;

    RevocableSocket(WebSocketHandler handler, BooleanSupplier isInForce) {
        this.handler = handler;
        this.isInForce = isInForce;
    }

    @Override
    public void opened(Peer peer) {
        client = peer;
        handler.opened(new Held(peer));
    }

    @Override
    public boolean text(String frame) {
        return isInForce.getAsBoolean() ? handler.text(frame) : end();
    }

    @Override
    public boolean binary(ByteBuffer frame) {
        return isInForce.getAsBoolean() ? handler.binary(frame) : end();
    }

    @Override
    public void closed() {
        handler.closed();
    }

    private boolean end() {
        Peer peer = client;
        if (peer != null) {
            peer.close();
        }
        handler.closed();
        return false;
    }

    private final class Held implements Peer {
        private final Peer peer;

        Held(Peer peer) {
            this.peer = peer;
        }

        @Override
        public boolean send(ByteBuffer frame) {
            return isInForce.getAsBoolean() ? peer.send(frame) : end();
        }

        @Override
        public void sendLast(ByteBuffer frame, Runnable then) {
            peer.sendLast(frame, then);
        }

        @Override
        public void sendLast(String frame, Runnable then) {
            peer.sendLast(frame, then);
        }

        @Override
        public void close() {
            peer.close();
        }
    }
}
