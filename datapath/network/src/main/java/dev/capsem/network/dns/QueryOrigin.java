package dev.capsem.network.dns;

import dev.capsem.events.security.ClaimedCaller;
import dev.capsem.wire.guest.Preamble;
import java.util.Optional;

/// Who asks, and how; all are the guest's claims.
record QueryOrigin(Optional<String> processName, Optional<String> executable, String transport) {
    static final String UDP = "udp";
    static final String TCP = "tcp";

    QueryOrigin(Optional<String> processName, String transport) {
        this(processName, Optional.empty(), transport);
    }

    static QueryOrigin of(Preamble preamble) {
        boolean isDatagram =
                preamble.destination().filter(Preamble.Destination::datagram).isPresent();
        return new QueryOrigin(preamble.processName(), preamble.executable(), isDatagram ? UDP : TCP);
    }

    ClaimedCaller caller() {
        return new ClaimedCaller(processName, executable);
    }

    boolean isUdp() {
        return transport.equals(UDP);
    }
}
