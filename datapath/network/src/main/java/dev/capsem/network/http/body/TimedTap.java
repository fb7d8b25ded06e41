package dev.capsem.network.http.body;

import dev.capsem.events.budget.CallCost;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.network.metrics.NetworkMetrics;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Counts how long the reader of a model call takes for each piece.
public record TimedTap(ModelTap tap, NetworkMetrics metrics) implements ModelTap {
    @Override
    public Optional<SecurityEvent.ModelRequest> request(Envelope envelope, byte[] body, boolean isTooLarge) {
        return tap.request(envelope, body, isTooLarge);
    }

    @Override
    public TraceId traceId() {
        return tap.traceId();
    }

    @Override
    public CallCost bound() {
        return tap.bound();
    }

    @Override
    public Optional<CallCost> spent() {
        return tap.spent();
    }

    @Override
    public void responseHead(int status, Headers headers) {
        tap.responseHead(status, headers);
    }

    @Override
    public void responseBytes(ByteBuffer decoded) {
        long started = System.nanoTime();
        tap.responseBytes(decoded);
        metrics.hookRan(NetworkMetrics.Hook.MODEL, System.nanoTime() - started);
    }

    @Override
    public void undecodable() {
        tap.undecodable();
    }

    @Override
    public SecurityEvent.ModelResponse response(Envelope envelope) {
        return tap.response(envelope);
    }

    @Override
    public long parsedEvents() {
        return tap.parsedEvents();
    }

    @Override
    public ModelRow row(Facts facts) {
        return tap.row(facts);
    }
}
