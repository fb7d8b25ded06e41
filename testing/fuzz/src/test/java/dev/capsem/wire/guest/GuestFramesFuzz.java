package dev.capsem.wire.guest;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Frames of both directions: what was understood is written again with the very same bytes.
public final class GuestFramesFuzz {
    private GuestFramesFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        if (Property.settled(data, GuestProtocol::decodeGuest)
                instanceof Decoded.Message<GuestMessage>(GuestMessage message, int consumed)) {
            sameBytes(GuestProtocol.encode(message), data, consumed);
        }
        if (Property.settled(data, GuestProtocol::decodeHost)
                instanceof Decoded.Message<HostMessage>(HostMessage message, int consumed)) {
            sameBytes(GuestProtocol.encode(message), data, consumed);
        }
    }

    private static void sameBytes(ByteBuffer written, byte[] data, int consumed) {
        byte[] again = new byte[written.remaining()];
        written.get(again);
        Property.holds(
                Arrays.equals(again, Arrays.copyOf(data, consumed)), "a frame is written otherwise than it was read");
    }
}
