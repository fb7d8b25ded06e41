package dev.capsem.network.http;

import dev.capsem.events.row.Outcome;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/// Puts an exchange on record, once, when it is over.
@SuppressWarnings("FutureReturnValueIgnored")
final class ExchangeRecord {
    private final Stage stage;
    private final Evidence evidence;
    private final boolean isHttp2;
    private boolean isRecorded;

    ExchangeRecord(Stage stage, Evidence evidence, boolean isHttp2) {
        this.stage = stage;
        this.evidence = evidence;
        this.isHttp2 = isHttp2;
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
        return stage.recorder()
                .record(() -> evidence.rows(new Evidence.Ending(
                        outcome,
                        status,
                        sent,
                        back,
                        asked.previewText(),
                        flow.flatMap(ResponseFlow::previewText),
                        false,
                        flow.map(ResponseFlow::isModelAnswered).orElse(false))));
    }

    /// @param frames how many went each way, in words
    CompletableFuture<Void> tunnelled(Outcome outcome, long sent, long received, String frames) {
        return stage.recorder()
                .record(() -> evidence.rows(new Evidence.Ending(
                        outcome,
                        OptionalInt.of(HttpResponseStatus.SWITCHING_PROTOCOLS.code()),
                        sent,
                        received,
                        Optional.empty(),
                        Optional.of(frames),
                        true,
                        false)));
    }
}
