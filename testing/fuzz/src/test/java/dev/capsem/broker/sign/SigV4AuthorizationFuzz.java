package dev.capsem.broker.sign;

import dev.capsem.fuzz.Property;
import java.nio.charset.StandardCharsets;

/// An `Authorization` header of AWS: what is read is written the same, and read again.
public final class SigV4AuthorizationFuzz {
    private SigV4AuthorizationFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        SigV4Authorization.parse(new String(data, StandardCharsets.ISO_8859_1)).ifPresent(read -> {
            String written = read.text(read.keyId(), read.signature());
            Property.same(SigV4Authorization.parse(written).orElseThrow(), read, "written and read again");
        });
    }
}
