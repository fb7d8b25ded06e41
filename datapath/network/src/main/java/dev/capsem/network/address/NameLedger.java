package dev.capsem.network.address;

import java.net.InetAddress;
import java.util.Optional;

/// Remembers which addresses our DNS gave the sandbox. Quick and safe for many threads: asked on event loops.
public interface NameLedger {
    /// Whether the sandbox was told that `host` is at `destination`.
    ///
    /// @param host lower case, without a trailing dot
    boolean gave(String host, InetAddress destination);

    /// The name behind an address that stands for a name only; empty for any other address.
    Optional<String> nameOf(InetAddress synthetic);
}
