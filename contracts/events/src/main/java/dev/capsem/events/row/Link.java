package dev.capsem.events.row;

import dev.capsem.events.vocabulary.EventId;
import java.util.Optional;

/// Another event that this one followed from or led to.
///
/// @param type for example `caused_by`
/// @param evidence why we think so
public record Link(EventId linkedEventId, String type, Optional<String> evidence) implements Row {
    public static final RowShape SHAPE = RowShape.of("security_event_links", "linked_event_id", "link_type", "evidence")
            .under("event_id");

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.text(linkedEventId.value());
        out.text(type);
        out.text(evidence);
    }
}
