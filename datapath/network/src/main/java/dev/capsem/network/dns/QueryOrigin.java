package dev.capsem.network.dns;

import dev.capsem.events.row.ClaimedCaller;
import dev.capsem.wire.guest.Preamble;
import java.util.Optional;

/// The asking program and its transport, as the guest claims.
record QueryOrigin(
        Optional<String> processName, Optional<String> executable, Optional<String> script, String transport) {
    static final String UDP = "udp";
    static final String TCP = "tcp";

    QueryOrigin(Optional<String> processName, String transport) {
        this(processName, Optional.empty(), Optional.empty(), transport);
    }

    static QueryOrigin of(Preamble preamble) {
        boolean isDatagram =
                preamble.destination().filter(Preamble.Destination::datagram).isPresent();
        return new QueryOrigin(
                preamble.processName(), preamble.executable(), preamble.script(), isDatagram ? UDP : TCP);
    }

    ClaimedCaller caller() {
        return new ClaimedCaller(processName, executable, script);
    }

    boolean isUdp() {
        return transport.equals(UDP);
    }
}
