package dev.capsem.events.traffic;

import dev.capsem.events.budget.CallCost;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.TraceId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Reads along with one model call. Called by one thread at a time, in this order: `request`, `responseHead`,
/// `responseBytes`*, `response`, `row`; it may be left out from any point on. Nothing the other side sends makes it
/// throw: what cannot be understood counts as unknown. It keeps bounded state.
public interface ModelTap {
    /// @param body without its content coding; empty if there is none or it is larger than what is inspected
    /// @param isTooLarge whether it is larger than what is inspected, or cannot be decoded
    /// @return empty if the body shows that this is no model call; the tap is then left out from here on
    Optional<SecurityEvent.ModelRequest> request(Envelope envelope, byte[] body, boolean isTooLarge);

    /// The conversation this call belongs to; known after [#request].
    TraceId traceId();

    /// The most that the call may cost; known after [#request], until [#responseHead]. Reads the whole request.
    CallCost bound();

    void responseHead(int status, Headers headers);

    /// More of the response, without its content coding.
    ///
    /// @param decoded the tap's only during the call; its position may be moved
    void responseBytes(ByteBuffer decoded);

    /// The response could not be decoded (unknown coding, broken stream, ratio limit): nothing more will be shown.
    void undecodable();

    /// The part of the call that was read so far, as the event to judge.
    SecurityEvent.ModelResponse response(Envelope envelope);

    /// What the call came to, as its answer says; after [#responseBytes] and before [#row]. Empty if it does not
    /// say, or broke off.
    Optional<CallCost> spent();

    /// How many events the response was understood as, so far.
    default long parsedEvents() {
        return 0;
    }

    /// The recorded form. Ends the turn: pending tool calls are remembered, a finished conversation is forgotten.
    ModelRow row(Facts facts);

    /// Facts that only the carrier knows.
    ///
    /// @param requestBytes, responseBytes as they went over the wire
    /// @param requestPreview masked and cut already
    record Facts(
            Instant at,
            Duration duration,
            Caller caller,
            long requestBytes,
            long responseBytes,
            Optional<String> requestPreview) {}
}
