package dev.capsem.network.start;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;

public final class ConnectionStartFuzz {
    private ConnectionStartFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        Decoded<ConnectionStart> whole = Property.settled(data, bytes -> ConnectionStart.decode(bytes, false));
        Property.holds(
                !(whole instanceof Decoded.NeedMore<ConnectionStart>) || data.length < ConnectionStart.BYTES_MAX,
                "more than the limit is waited for");
        Property.holds(
                !(ConnectionStart.decode(ByteBuffer.wrap(data), true) instanceof Decoded.NeedMore<ConnectionStart>),
                "more is wanted where nothing more comes");
        if (whole instanceof Decoded.Message<ConnectionStart>(ConnectionStart start, int _)
                && start.protocol() instanceof ConnectionStart.Undelivered report) {
            Property.holds(
                    start.preamble().destination().isEmpty() && report.port() <= 65_535 && report.packets() >= 0,
                    "a report that nobody could have made");
        }
    }
}
