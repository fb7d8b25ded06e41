package dev.capsem.broker;

import dev.capsem.fuzz.Property;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Answers that may hold a value, and requests that may hold a stand-in: found under any split, or under none. `V` and
/// `S` in the input become the value and the stand-in.
public final class BrokerScanFuzz {
    private static final String VALUE = "value/of+9\"";
    private static final String STAND_IN = "stand-in-0123456789abcdef";
    private static final Grants GRANTS = Grants.of(List.of(new Held(
            new SecretGrant(
                    "fuzz",
                    List.of("host.example"),
                    List.of(new SecretPlace.Basic()),
                    Set.of(),
                    List.of(),
                    GrantMode.PLACEHOLDER,
                    Optional.empty(),
                    1,
                    false),
            new Placeholder(STAND_IN),
            Optional.of(SecretValue.of(VALUE)),
            Optional.empty())));

    private BrokerScanFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        byte[] text = new String(data, StandardCharsets.ISO_8859_1)
                .replace("V", VALUE)
                .replace("S", STAND_IN)
                .getBytes(StandardCharsets.ISO_8859_1);
        String whole = scrubbed(new byte[][] {text});
        Property.same(whole, scrubbed(Property.pieces(text)), "scrubbed under another split");
        Property.holds(!whole.contains(VALUE), "a value is left");
        Property.same(leaks(new byte[][] {text}), leaks(Property.pieces(text)), "leaks under another split");
    }

    private static String scrubbed(byte[][] pieces) {
        Scrub scrub = GRANTS.response("host.example").orElseThrow().body(false);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] piece : pieces) {
            Scrub.Passed passed = scrub.pass(ByteBuffer.wrap(piece));
            out.writeBytes(passed.isUntouched() ? piece : passed.bytes());
        }
        out.writeBytes(scrub.rest());
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    private static boolean leaks(byte[][] pieces) {
        LeakScan scan = GRANTS.leakScan();
        for (byte[] piece : pieces) {
            scan.sees(ByteBuffer.wrap(piece));
        }
        return scan.hasFound();
    }
}
