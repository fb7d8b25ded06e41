package dev.capsem.events.traffic;

import dev.capsem.events.security.SecurityEvent;
import java.util.Optional;

/// Says which HTTP exchanges are calls of a model. Pure and quick: asked on an event loop for every request.
public interface ExchangeObserver {
    /// Understands nothing; every exchange is plain HTTP.
    ExchangeObserver NONE = head -> Optional.empty();

    /// @param head the request as its headers tell, its body unread
    /// @return a fresh tap if this is a model call, or may be one once its body is read
    Optional<ModelTap> modelCall(SecurityEvent.HttpRequest head);
}
