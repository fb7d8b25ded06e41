package dev.capsem.events.row;

import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.TraceId;
import java.time.Instant;
import java.util.Optional;

/// A credential left the host in a request. Never holds its value.
///
/// @param event of the request, in `security_events`
/// @param grant its name in the profile
/// @param place as profiles spell it, such as `header:x-api-key`
/// @param count how often it was put there
public record GrantUse(
        Instant at, EventId event, String grant, String place, String host, int count, Optional<TraceId> traceId)
        implements Projection {
    public static final RowShape SHAPE =
            RowShape.of("grant_uses", "timestamp", "event_id", "grant_name", "place", "host", "use_count", "trace_id");

    public GrantUse {
        if (count < 1) {
            throw new IllegalArgumentException("what was not used is not recorded");
        }
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.at(at);
        out.text(event.value());
        out.text(grant);
        out.text(place);
        out.text(host);
        out.integer(count);
        out.id(traceId);
    }
}
