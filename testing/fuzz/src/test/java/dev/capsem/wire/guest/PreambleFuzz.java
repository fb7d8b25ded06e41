package dev.capsem.wire.guest;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

public final class PreambleFuzz {
    private PreambleFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        Decoded<Preamble> whole = Property.settled(data, bytes -> Preamble.decode(bytes, false));
        Property.holds(
                !(whole instanceof Decoded.NeedMore<Preamble>)
                        || data.length < Preamble.LINES_MAX * Preamble.LINE_BYTES_MAX,
                "more than three lines are waited for");
        Property.holds(
                !(Preamble.decode(ByteBuffer.wrap(data), true) instanceof Decoded.NeedMore<Preamble>),
                "more is wanted where nothing more comes");
        if (whole instanceof Decoded.Message<Preamble>(Preamble preamble, int _)) {
            preamble.processName().ifPresent(PreambleFuzz::isShowable);
            preamble.destination()
                    .ifPresent(to -> Property.holds(
                            to.port() >= 1
                                    && to.port() <= 65_535
                                    && to.address().length() <= 45,
                            "a destination"));
        }
    }

    private static void isShowable(String name) {
        Property.holds(
                name.getBytes(StandardCharsets.UTF_8).length <= Preamble.PROCESS_NAME_BYTES_MAX
                        && name.codePoints().noneMatch(Character::isISOControl),
                "a process name that cannot be shown");
    }
}
