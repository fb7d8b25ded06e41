package dev.capsem.exchange.dns;

import dev.capsem.events.Admission;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/// A fact that a [DnsExchange] learns.
public sealed interface DnsInput {
    /// The record has room for what becomes of it.
    record Admitted(DnsQuery query) implements DnsInput {}

    record NotAdmitted(Admission.Refused refused) implements DnsInput {}

    /// The result of [DnsAction.LookUp].
    ///
    /// @param isThere whether a record of that type is there, not only aliases
    /// @param upstream how long the host's resolvers took
    /// @param isProxied whether a proxy resolves what the host cannot
    record LookedUp(
            int responseCode, boolean isThere, List<InetAddress> addresses, Duration upstream, boolean isProxied)
            implements DnsInput {
        public LookedUp {
            addresses = List.copyOf(addresses);
        }

        boolean isFailure() {
            return responseCode != ResponseCode.NO_ERROR && responseCode != ResponseCode.NAME_ERROR;
        }
    }
}
