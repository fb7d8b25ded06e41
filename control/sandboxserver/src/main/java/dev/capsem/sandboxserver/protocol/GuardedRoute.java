package dev.capsem.sandboxserver.protocol;

import dev.capsem.http.Route;

/// One route and who may take it.
///
/// @param isAboutSandbox names one sandbox, which may have ended
public record GuardedRoute(Access access, Route route, boolean isAboutSandbox) {
    public GuardedRoute aboutSandbox() {
        return new GuardedRoute(access, route, true);
    }

    public GuardedRoute handledBy(Route.Handler handler) {
        return new GuardedRoute(access, route.handledBy(handler), isAboutSandbox);
    }
}
