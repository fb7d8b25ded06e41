package dev.capsem.network.address;

import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Resolves names on the host's side, for the host's own connections. Never asks the sandbox, never believes it.
public interface HostResolver {
    /// Completes by a deadline of its own, never exceptionally, on any thread. Returns at once.
    ///
    /// @param host a name, lower case, without a trailing dot
    CompletableFuture<Resolution> resolve(String host);

    /// Where a name leads, if that is known without telling the name to anybody.
    default Optional<InetAddress> known(String host) {
        return AddressLiterals.parse(host);
    }
}
