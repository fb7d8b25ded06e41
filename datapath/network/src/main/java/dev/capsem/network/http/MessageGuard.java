package dev.capsem.network.http;

import dev.capsem.events.security.Body;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.websocket.MessageAction;
import dev.capsem.exchange.websocket.MessageAction.Treatment;
import dev.capsem.network.http.body.HeldBytes;
import dev.capsem.network.http.limit.Limits;
import dev.capsem.network.http.websocket.WebSocketMessage;
import dev.capsem.network.http.websocket.WebSocketReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// One direction of a WebSocket under policy: no byte of a message goes on before all of it is judged. What comes while
/// a decision is awaited waits behind it. A direction that no rule reads passes frame by frame.
@SuppressWarnings("FutureReturnValueIgnored")
final class MessageGuard {
    /// Where things go from here.
    interface Way {
        /// @return done when they have left
        ChannelFuture pass(ByteBuf bytes);

        /// Something was decided late: send what was passed and read on.
        void goOn();

        void refuse(Refusal refusal);
    }

    private final MessagePolicy policy;
    private final boolean isFromGuest;
    private final Way way;
    private final WebSocketReader reader;
    private final HeldBytes.Room room;
    private final ByteBuf pending = Unpooled.buffer();
    private boolean isRunning;
    private boolean isWaiting;
    private boolean isOver;
    /// Of the message that is held.
    private long held;

    MessageGuard(MessagePolicy policy, boolean isFromGuest, Way way) {
        this.policy = policy;
        this.isFromGuest = isFromGuest;
        this.way = way;
        this.room = policy.room(isFromGuest);
        this.reader = new WebSocketReader(isFromGuest, policy.reads(isFromGuest) ? Limits.INSPECTED_BYTES : -1);
    }

    /// The bytes are ours to release.
    void came(ByteBuf bytes) {
        if (!isOver) {
            pending.discardReadBytes();
            pending.writeBytes(bytes);
        }
        bytes.release();
        run();
    }

    /// Whether reading more would only fill memory.
    boolean isWaiting() {
        return isWaiting;
    }

    /// Whether the other side has seen only a part of a frame.
    boolean isMidFrame() {
        return reader.isMidPiece();
    }

    void close() {
        isOver = true;
        pending.clear();
        room.close();
    }

    private void run() {
        isRunning = true;
        while (!isWaiting && !isOver) {
            switch (reader.read(pending)) {
                case WebSocketReader.Read.NeedMore _ -> {
                    isRunning = false;
                    return;
                }
                case WebSocketReader.Read.Piece piece -> piece(piece);
                case WebSocketReader.Read.Wants(long bytes) -> hold(bytes);
                case WebSocketReader.Read.Whole(WebSocketMessage message) -> whole(message);
                case WebSocketReader.Read.TooLarge _
                when policy.holdsForSecrets(isFromGuest) -> refuse(policy.tooLarge(isFromGuest));
                case WebSocketReader.Read.TooLarge _ ->
                    judge(
                            new Body.TooLarge(OptionalLong.empty(), Optional.empty()),
                            _ -> reader.passRest().ifPresent(this::leaves));
                case WebSocketReader.Read.Malformed(String reason) ->
                    policy.malformed(isFromGuest, reason, this::ended);
            }
        }
        isRunning = false;
    }

    /// As it came, and as rules see it.
    private void hold(long bytes) {
        held += bytes;
        if (room.grow(2 * held, this::told)) {
            reader.mayHold();
        } else {
            isWaiting = true;
        }
    }

    private void told(boolean hasRoom) {
        isWaiting = false;
        if (hasRoom) {
            reader.mayHold();
            run();
            way.goOn();
        } else {
            policy.full(isFromGuest, this::ended);
        }
    }

    /// The room goes back when it has left.
    private void leaves(ByteBuf bytes) {
        HeldBytes.Room sent = room.split(held);
        held = 0;
        room.shrink(0);
        way.pass(bytes).addListener(_ -> sent.close());
    }

    /// A part of a message that nobody reads, unless a stand-in is in it.
    private void piece(WebSocketReader.Read.Piece piece) {
        Optional<Refusal> leak = isFromGuest ? policy.leaked(piece.unmasked()) : Optional.empty();
        if (leak.isPresent()) {
            piece.bytes().release();
            refuse(leak.get());
        } else {
            way.pass(piece.bytes());
        }
    }

    /// Rules see no values: they are taken out before and put in after.
    private void whole(WebSocketMessage came) {
        WebSocketMessage message = isFromGuest ? came : policy.cleaned(came);
        judge(message.body(), treatment -> {
            WebSocketMessage judged =
                    treatment instanceof MessageAction.Replace(String text) ? message.withText(text) : message;
            switch (isFromGuest ? policy.leaving(judged) : new MessagePolicy.Leaving.Goes(judged)) {
                case MessagePolicy.Leaving.Stays(Refusal refusal) -> refuse(refusal);
                case MessagePolicy.Leaving.Goes(WebSocketMessage sent) -> {
                    if (sent.isControl()) {
                        way.pass(sent.frame(isFromGuest));
                    } else {
                        leaves(sent.frame(isFromGuest));
                    }
                }
            }
        });
    }

    private void judge(Body body, Consumer<Treatment> passes) {
        if (!policy.judges(isFromGuest)) {
            passes.accept(new MessageAction.Pass());
            return;
        }
        isWaiting = true;
        policy.judge(isFromGuest, body, treatment -> {
            isWaiting = false;
            if (isOver) {
                return;
            }
            if (treatment instanceof MessageAction.Refuse(Refusal refusal)) {
                refuse(refusal);
            } else {
                passes.accept(treatment);
            }
            if (!isRunning) {
                run();
                way.goOn();
            }
        });
    }

    /// Nothing goes on from here.
    private void ended(Treatment treatment) {
        if (treatment instanceof MessageAction.Refuse(Refusal refusal)) {
            refuse(refusal);
        }
    }

    private void refuse(Refusal refusal) {
        close();
        way.refuse(refusal);
    }
}
