package dev.capsem.sandboxserver.protocol;

import dev.capsem.http.Route;
import dev.capsem.sandboxserver.tokens.Scope;
import java.util.Optional;

/// The callers that may take a route through the gateway. On the Unix socket everybody is the owner.
public enum Access {
    OPEN(Optional.empty()),
    READ(Optional.of(Scope.READ)),
    EXECUTE(Optional.of(Scope.EXECUTE)),
    LIFECYCLE(Optional.of(Scope.LIFECYCLE)),
    ADMIN(Optional.of(Scope.ADMIN));

    private final Optional<Scope> scope;

    Access(Optional<Scope> scope) {
        this.scope = scope;
    }

    /// The route, for those who have this access.
    public GuardedRoute to(Route route) {
        return new GuardedRoute(this, route, false);
    }

    public Optional<Scope> scope() {
        return scope;
    }
}
