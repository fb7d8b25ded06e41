package dev.capsem.network.http;

import dev.capsem.events.Admission.Place;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.Outcome;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Puts an exchange on record, once, when it is over.
@SuppressWarnings("FutureReturnValueIgnored")
final class ExchangeRecord {
    private final Stage stage;
    private final Evidence evidence;
    private final boolean isHttp2;
    private boolean isRecorded;
    private Optional<Place> place = Optional.empty();

    ExchangeRecord(Stage stage, Evidence evidence, boolean isHttp2) {
        this.stage = stage;
        this.evidence = evidence;
        this.isHttp2 = isHttp2;
    }

    /// It may go on, and what becomes of it has its place on record.
    void admitted(Place held) {
        place = Optional.of(held);
    }

    /// It was not admitted, and is counted with others: there is nothing to write.
    void notAdmitted() {
        isRecorded = true;
        stage.metrics().requestEnded(isHttp2 ? "h2" : "h1", Outcome.DENIED.wireName(), 0, 0);
    }

    /// The exchange is over; a place that nothing was written from is given back.
    void close() {
        if (!isRecorded) {
            place.ifPresent(Place::close);
        }
    }

    /// @return done when it is written, or at once if that was asked for before
    CompletableFuture<Void> write(Outcome outcome, OptionalInt status, RequestBody asked, Optional<ResponseFlow> flow) {
        if (isRecorded) {
            return CompletableFuture.completedFuture(null);
        }
        isRecorded = true;
        long sent = asked.bytes();
        long back = flow.map(ResponseFlow::bytes).orElse(0L);
        stage.metrics().requestEnded(isHttp2 ? "h2" : "h1", outcome.wireName(), sent, back);
        stage.metrics().parsed(flow.map(ResponseFlow::parsedEvents).orElse(0L));
        return store(() -> evidence.rows(new Evidence.Ending(
                outcome,
                status,
                sent,
                back,
                asked.previewText(),
                flow.flatMap(ResponseFlow::previewText),
                false,
                flow.map(ResponseFlow::isModelAnswered).orElse(false))));
    }

    /// From here on [#tunnelled] is what writes.
    void handedOver() {
        isRecorded = true;
    }

    /// @param frames how many went each way, in words
    CompletableFuture<Void> tunnelled(Outcome outcome, long sent, long received, String frames) {
        return store(() -> evidence.rows(new Evidence.Ending(
                outcome,
                OptionalInt.of(HttpResponseStatus.SWITCHING_PROTOCOLS.code()),
                sent,
                received,
                Optional.empty(),
                Optional.of(frames),
                true,
                false)));
    }

    private CompletableFuture<Void> store(Supplier<List<RecordedExchange>> rows) {
        return place.map(held -> stage.recorder().record(held, rows))
                .orElseGet(() -> stage.recorder().note(rows));
    }
}
