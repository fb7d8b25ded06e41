package dev.capsem.broker;

import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The messages of one WebSocket before the broker: values are put into those that leave and taken out of those that
/// come. Sees one revision of the grants.
public final class BrokeredMessages {
    private final Grants grants;
    private final List<Held> covering;
    private final boolean fillsSent;
    private final boolean cleansReceived;
    private final LeakScan passing;

    /// @param upgrade with its address, as every rule let it pass
    BrokeredMessages(Grants grants, SecurityEvent.HttpRequest upgrade) {
        this.grants = grants;
        this.covering = grants.covering(upgrade).stream()
                .filter(held -> BrokeredRequest.isCarriedSafely(held.grant(), upgrade))
                .toList();
        this.fillsSent = covering.stream()
                .anyMatch(held -> held.grant().places().stream().anyMatch(SecretPlace.WebSocket.class::isInstance));
        this.cleansReceived = grants.response(upgrade.host()).isPresent();
        this.passing = grants.leakScan();
    }

    /// Whether messages that leave must be held, since values may go into them.
    public boolean fillsSent() {
        return fillsSent;
    }

    /// Whether messages that come must be held, since values may be in them.
    public boolean cleansReceived() {
        return cleansReceived;
    }

    /// A part of a message that is not held, on its way out.
    public Optional<Brokered.Leaked> passes(ByteBuffer part) {
        passing.sees(part);
        return passing.found().map(this::leaked);
    }

    /// @return [Brokered.Filled] with the message as its body, if values go with it
    public Brokered sent(byte[] message, boolean isText) {
        if (found(message).isEmpty()) {
            return Brokered.UNTOUCHED;
        }
        byte[] text = message;
        List<Brokered.Use> uses = new ArrayList<>();
        for (Held held : isText ? covering : List.<Held>of()) {
            for (SecretPlace place : held.grant().places()) {
                if (place instanceof SecretPlace.WebSocket(JsonPointer pointer)) {
                    Optional<BrokeredRequest.Spliced> changed = BrokeredRequest.spliced(held, pointer, text);
                    Optional<Brokered.Unavailable> unfit =
                            changed.isEmpty() ? Optional.empty() : BrokeredRequest.unfit(held);
                    if (unfit.isPresent()) {
                        return unfit.get();
                    }
                    if (changed.isPresent()) {
                        text = changed.get().text();
                        uses.add(new Brokered.Use(
                                held.grant().name(), place.text(), changed.get().count()));
                    }
                }
            }
        }
        Optional<Integer> left = found(text);
        return left.isPresent()
                ? leaked(left.get())
                : new Brokered.Filled(new SentHead("", Optional.empty(), Headers.NONE), Optional.of(text), uses);
    }

    /// @return the very bytes if they hold no value
    public byte[] received(byte[] message) {
        return grants.knownValues().clean(message);
    }

    private Optional<Integer> found(byte[] message) {
        LeakScan scan = grants.leakScan();
        scan.sees(ByteBuffer.wrap(message));
        return scan.found();
    }

    private Brokered.Leaked leaked(int owner) {
        return new Brokered.Leaked(
                grants.held().get(owner).grant().name(), "message", "no grant names this place of a message");
    }
}
