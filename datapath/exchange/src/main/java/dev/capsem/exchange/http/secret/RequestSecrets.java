package dev.capsem.exchange.http.secret;

import dev.capsem.broker.Brokered;
import dev.capsem.broker.BrokeredMessages;
import dev.capsem.broker.BrokeredRequest;
import dev.capsem.broker.BrokeredResponse;
import dev.capsem.broker.Grants;
import dev.capsem.broker.LeakScan;
import dev.capsem.broker.SentHead;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.leak.PlaceholderLeak;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// One exchange's secrets, of one revision of the grants: what the broker says, in the words of an exchange.
public final class RequestSecrets {
    private final Supplier<Grants> source;
    private Grants grants = Grants.NONE;
    private Optional<BrokeredRequest> broker = Optional.empty();
    private Optional<Brokered.Filled> filled = Optional.empty();

    public RequestSecrets(Supplier<Grants> source) {
        this.source = source;
    }

    public void begin(SecurityEvent.HttpRequest request) {
        grants = source.get();
        broker = grants.request(request);
    }

    public Optional<LeakScan> bodyScan() {
        return broker.map(BrokeredRequest::bodyScan);
    }

    /// @param length as the head says; negative if it does not
    public boolean holdsBody(long length) {
        return broker.isPresent() && broker.get().holdsBody(length);
    }

    /// @param body all of it, decoded; none if it was not held
    /// @return why nothing may be sent, if so
    public Optional<Evaluation> decide(SecurityEvent.HttpRequest located, Optional<byte[]> body) {
        filled = Optional.empty();
        if (broker.isEmpty()) {
            return Optional.empty();
        }
        return switch (broker.get().decide(located, body)) {
            case Brokered.Untouched _ -> Optional.empty();
            case Brokered.Filled said -> {
                filled = Optional.of(said);
                yield Optional.empty();
            }
            case Brokered.Leaked leak -> Optional.of(leaked(located, leak));
            case Brokered.Unavailable missing ->
                Optional.of(Evaluation.blocked(
                        BlockCause.SECRET_UNAVAILABLE,
                        "secret_unavailable: the secret of grant " + missing.grant() + " is needed here: "
                                + missing.reason()));
        };
    }

    /// Why nothing more of a body may be sent, if so.
    public Optional<Evaluation> leakOnTheWay(SecurityEvent.HttpRequest request) {
        boolean mayLeak = broker.isPresent() && filledBody().isEmpty();
        return mayLeak ? broker.get().leakedOnTheWay().map(leak -> leaked(request, leak)) : Optional.empty();
    }

    public Optional<SentHead> filledHead() {
        return filled.map(Brokered.Filled::head);
    }

    public Optional<byte[]> filledBody() {
        return filled.flatMap(Brokered.Filled::body);
    }

    public List<Brokered.Use> uses() {
        return filled.map(Brokered.Filled::uses).orElse(List.of());
    }

    /// @param upgrade with its address
    /// @return none if the messages of a WebSocket may pass as they are
    public Optional<BrokeredMessages> messages(SecurityEvent.HttpRequest upgrade) {
        return grants.messages(upgrade);
    }

    /// @return none if the host's answers may pass as they are
    public Optional<BrokeredResponse> response(String host) {
        return grants.response(host);
    }

    private static Evaluation leaked(SecurityEvent.HttpRequest request, Brokered.Leaked leak) {
        return PlaceholderLeak.blocked(request.envelope().id(), leak, "a request to " + request.host());
    }
}
