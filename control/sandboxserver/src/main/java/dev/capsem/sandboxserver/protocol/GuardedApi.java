package dev.capsem.sandboxserver.protocol;

import java.util.List;

/// Routes of the sandbox-server API that belong together, with what answers them.
public interface GuardedApi {
    /// In the order of the reference.
    List<GuardedRoute> routes();
}
