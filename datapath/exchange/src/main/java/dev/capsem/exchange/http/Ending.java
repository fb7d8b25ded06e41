package dev.capsem.exchange.http;

import dev.capsem.events.row.Outcome;
import dev.capsem.exchange.http.body.RequestBody;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/// How an exchange ended.
///
/// @param parsedEvents how many events a model's answer was understood as
/// @param requestPreview, responsePreview slow to make: asked for by whoever builds the rows
/// @param isModelAnswered whether a model's answer, or a part of it, was read along
public record Ending(
        Outcome outcome,
        OptionalInt status,
        long bytesSent,
        long bytesReceived,
        long parsedEvents,
        Supplier<Optional<String>> requestPreview,
        Supplier<Optional<String>> responsePreview,
        boolean isWebSocket,
        boolean isModelAnswered) {
    private static final int SWITCHING_PROTOCOLS = 101;

    static Ending of(Outcome outcome, OptionalInt status, RequestBody body, Optional<ResponseSide> response) {
        return new Ending(
                outcome,
                status,
                body.bytes(),
                response.map(ResponseSide::bytes).orElse(0L),
                response.map(ResponseSide::parsedEvents).orElse(0L),
                body::previewText,
                () -> response.flatMap(ResponseSide::previewText),
                false,
                response.map(ResponseSide::isModelAnswered).orElse(false));
    }

    /// Of a WebSocket.
    ///
    /// @param frames how many went each way, in words
    public static Ending tunnelled(Outcome outcome, long sent, long received, String frames) {
        return new Ending(
                outcome,
                OptionalInt.of(SWITCHING_PROTOCOLS),
                sent,
                received,
                0,
                Optional::empty,
                () -> Optional.of(frames),
                true,
                false);
    }
}
