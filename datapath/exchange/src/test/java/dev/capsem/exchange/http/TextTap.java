package dev.capsem.exchange.http;

import dev.capsem.events.budget.CallCost;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.TraceId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Takes every body for a conversation, unless it says that it is none.
final class TextTap implements ModelTap {
    private final StringBuilder said = new StringBuilder();
    private SecurityEvent.@Nullable ModelRequest asked;

    @Override
    public Optional<SecurityEvent.ModelRequest> request(Envelope envelope, byte[] body, boolean isTooLarge) {
        String text = new String(body, StandardCharsets.UTF_8);
        if (text.equals("no-model-call")) {
            return Optional.empty();
        }
        asked = new SecurityEvent.ModelRequest(
                envelope, "anthropic", "messages", Optional.of("m-1"), true, Body.of(text), List.of());
        return Optional.of(asked);
    }

    @Override
    public TraceId traceId() {
        return new TraceId("trace-1");
    }

    @Override
    public CallCost bound() {
        return new CallCost(100, OptionalLong.of(300_000));
    }

    @Override
    public Optional<CallCost> spent() {
        return said.isEmpty() ? Optional.empty() : Optional.of(new CallCost(40, OptionalLong.of(120_000)));
    }

    @Override
    public void responseHead(int status, Headers headers) {}

    @Override
    public void responseBytes(ByteBuffer decoded) {
        said.append(StandardCharsets.UTF_8.decode(decoded));
    }

    @Override
    public void undecodable() {
        said.append("(undecodable)");
    }

    @Override
    public SecurityEvent.ModelResponse response(Envelope envelope) {
        return new SecurityEvent.ModelResponse(
                envelope,
                Objects.requireNonNull(asked),
                Optional.of("m-1"),
                Optional.empty(),
                Body.of(said.toString()),
                List.of(),
                OptionalLong.empty(),
                OptionalLong.empty());
    }

    @Override
    public ModelRow row(Facts facts) {
        return new ModelRow(
                facts.at(),
                "anthropic said " + said,
                Optional.of("m-1"),
                facts.caller(),
                "POST",
                "/v1/messages",
                true,
                new ModelRow.Request(Optional.empty(), 1, 0, facts.requestBytes(), facts.requestPreview()),
                new ModelRow.Response(
                        Optional.empty(),
                        OptionalInt.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        facts.responseBytes()),
                ModelRow.Usage.UNKNOWN,
                facts.duration(),
                Optional.of(traceId()),
                List.of(),
                List.of(),
                Optional.empty());
    }
}
