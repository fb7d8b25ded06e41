package dev.capsem.broker;

import dev.capsem.events.security.Headers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Answers of a host that has a grant: no value in them reaches the guest or the record.
public final class BrokeredResponse {
    private final PatternSet values;
    private final PatternSet names;

    /// @param names the values as the name of a header may hold them
    BrokeredResponse(PatternSet values, PatternSet names) {
        this.values = values;
        this.names = names;
    }

    /// @return the same fields if they hold no value
    public Headers clean(Headers headers) {
        List<Headers.Field> fields = new ArrayList<>();
        boolean isChanged = false;
        for (Headers.Field field : headers.fields()) {
            if (!names.isLongerThan(field.name())
                    && LeakScan.in(PatternSet.inNames(field.name()), names).isPresent()) {
                // A field whose very name holds a value has no name to keep.
                isChanged = true;
                continue;
            }
            Scrub scrub = body(false);
            byte[] value = bytes(field.value());
            Scrub.Passed passed = scrub.pass(ByteBuffer.wrap(value));
            if (scrub.hits() == 0) {
                fields.add(field);
            } else {
                isChanged = true;
                String clean = new String(passed.bytes(), StandardCharsets.ISO_8859_1)
                        + new String(scrub.rest(), StandardCharsets.ISO_8859_1);
                fields.add(new Headers.Field(field.name(), clean));
            }
        }
        return isChanged ? Headers.of(fields) : headers;
    }

    /// For one body, decoded.
    ///
    /// @param keepsLength whether its length was promised
    public Scrub body(boolean keepsLength) {
        return new Scrub(values, keepsLength);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
