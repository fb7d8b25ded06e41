package dev.capsem.exchange.http;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import java.util.Locale;
import java.util.Optional;

/// The shape of a response's body, as its head states it.
///
/// @param isFromHttp2 whether the upstream speaks that
record ResponseShape(
        Input.ResponseHead head, SecurityEvent.HttpRequest request, Input.RequestHead asked, boolean isFromHttp2) {
    /// Whether HTTP says so, whatever the headers say.
    boolean hasNoBody() {
        int code = head.status();
        return request.method().equals("HEAD") || code == 204 || code == 304 || code == 101;
    }

    boolean isSwitching() {
        return asked.isUpgrade() && head.status() == 101;
    }

    /// Whether the upstream ended the message with its head, as errors of gRPC are told: then so do we.
    boolean endsWithHead() {
        return head.isWhole() || (!isFromHttp2 && (hasNoBody() || head.length() == 0));
    }

    boolean isEventStream() {
        return head.headers()
                .value("content-type")
                .filter(type -> type.toLowerCase(Locale.ROOT).startsWith("text/event-stream"))
                .isPresent();
    }

    /// Whether an HTTP/1 guest will know where the next message begins.
    ///
    /// @param headers as they go on
    boolean isDelimited(Headers headers, boolean isReplaced) {
        boolean hasLength = headers.value("content-length").isPresent()
                && headers.value("transfer-encoding").isEmpty();
        return hasNoBody() || !asked.isHttp10() || isReplaced || hasLength;
    }

    /// @param headers as rules see them
    /// @return none if it cannot be judged
    Optional<SecurityEvent.HttpResponse> event(Envelope envelope, Headers headers) {
        try {
            Body body = hasNoBody() ? Body.NONE : new Body.Unread(headers.value("content-type"));
            return Optional.of(new SecurityEvent.HttpResponse(envelope, request, head.status(), headers, body));
        } catch (IllegalArgumentException unfit) {
            return Optional.empty();
        }
    }
}
