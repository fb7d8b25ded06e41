package dev.capsem.network.dns;

import dev.capsem.wire.guest.Preamble;
import java.util.Optional;

/// Who asks, and how; both are the guest's claims.
record Origin(Optional<String> processName, String transport) {
    static final String UDP = "udp";
    static final String TCP = "tcp";

    static Origin of(Preamble preamble) {
        boolean isDatagram =
                preamble.destination().filter(Preamble.Destination::datagram).isPresent();
        return new Origin(preamble.processName(), isDatagram ? UDP : TCP);
    }

    boolean isUdp() {
        return transport.equals(UDP);
    }
}
