package dev.capsem.network.address;

import java.net.InetAddress;
import java.util.List;

/// The result of resolving a name.
public sealed interface Resolution {
    /// In the order in which to try them; never empty.
    record Addresses(List<InetAddress> addresses) implements Resolution {
        public Addresses {
            addresses = List.copyOf(addresses);
            if (addresses.isEmpty()) {
                throw new IllegalArgumentException("a resolution has at least one address");
            }
        }
    }

    /// @param reason for people and records
    record Failed(String reason) implements Resolution {}
}
