package dev.capsem.network.dns;

import dev.capsem.exchange.dns.ResponseCode;
import dev.capsem.fuzz.Property;
import java.util.List;

/// Queries of a guest and answers of a resolver.
public final class DnsFuzz {
    private static final int DATAGRAM_BYTES = 512;
    private static final int NAME_TEXT_MAX = 4 * 255;

    private DnsFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        switch (GuestQuery.parse(data)) {
            case GuestQuery.Understood query -> {
                byte[] answer =
                        Reply.code(ResponseCode.REFUSED, 15, "not allowed").encode(query, DATAGRAM_BYTES);
                Property.holds(
                        answer[0] == data[0] && answer[1] == data[1] && (answer[2] & 0x80) != 0,
                        "an answer to somebody else");
                query.questions().forEach(question -> isShowable(question.name()));
            }
            case GuestQuery.Unreadable query ->
                Property.holds(
                        Reply.toUnreadable(query).length == GuestQuery.HEADER_BYTES
                                && !query.reason().isBlank(),
                        "an answer to what could not be read");
            case GuestQuery.Nothing nothing -> Property.holds(!nothing.reason().isBlank(), "no reason");
        }
        UpstreamMessage.parse(data).ifPresent(message -> {
            isShowable(message.question().name());
            List<ResourceRecord> records = message.answers();
            Property.holds(records.size() <= 1_024, "more records than allowed");
            Lookup.of(message, java.time.Duration.ZERO);
        });
    }

    private static void isShowable(DnsName name) {
        String text = name.text();
        Property.holds(
                text.length() <= NAME_TEXT_MAX && text.chars().allMatch(c -> c > 0x20 && c < 0x7f),
                "a name that cannot be shown");
        Property.holds(name.wireLength() <= 255, "a name above 255 bytes");
    }
}
