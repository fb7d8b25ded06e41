package dev.capsem.http.io;

import dev.capsem.http.WebSocketHandler;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;

/// Jetty's WebSocket → ours. Frames are asked for one at a time, so a slow handler slows its client down.
public final class WebSocketAdapter implements Session.Listener {
    private final WebSocketHandler handler;
    private volatile @Nullable Session session;

    WebSocketAdapter(WebSocketHandler handler) {
        this.handler = handler;
    }

    @Override
    public void onWebSocketOpen(Session opened) {
        session = opened;
        handler.opened(new JettyPeer(opened));
        opened.demand();
    }

    @Override
    public void onWebSocketText(String text) {
        Session open = session;
        if (open != null && handler.text(text)) {
            open.demand();
        }
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        Session open = session;
        if (open == null) {
            return;
        }
        boolean wantsMore = handler.binary(payload);
        callback.succeed();
        if (wantsMore) {
            open.demand();
        }
    }

    @Override
    public void onWebSocketClose(int statusCode, String reason, Callback callback) {
        callback.succeed();
        handler.closed();
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        handler.closed();
    }

    private record JettyPeer(Session session) implements WebSocketHandler.Peer {
        @Override
        public boolean send(ByteBuffer frame) {
            Callback.Completable sent = new Callback.Completable();
            session.sendBinary(frame, sent);
            try {
                sent.join();
                return true;
            } catch (CompletionException e) {
                return false;
            }
        }

        @Override
        public void sendLast(ByteBuffer frame, Runnable then) {
            Callback.Completable sent = new Callback.Completable();
            session.sendBinary(frame, sent);
            var _ = sent.whenComplete((_, _) -> then.run());
        }

        @Override
        public void sendLast(String frame, Runnable then) {
            Callback.Completable sent = new Callback.Completable();
            session.sendText(frame, sent);
            var _ = sent.whenComplete((_, _) -> then.run());
        }

        @Override
        public void close() {
            session.close(StatusCode.NORMAL, null, Callback.NOOP);
        }
    }
}
