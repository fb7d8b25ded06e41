package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Mutation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An upstream that said everything may leave, while we still have to decide or to write down what we did.
@Timeout(180)
@Tag("sockets")
class UpstreamEndTest {
    private static Evaluation outcome(Evaluation.Outcome outcome) {
        return new Evaluation(
                outcome, Optional.of(RuleId.of("http", "change")), Optional.empty(), List.of(), List.of());
    }

    private static FullHttpResponse closing(FullHttpRequest request) {
        FullHttpResponse response = HttpsExchangeTest.ok(request);
        response.headers().set("connection", "close");
        return response;
    }

    private static Origin origin(boolean isHttp2) throws Exception {
        return Origin.tls(Door.ORIGINS, Door.HOST, isHttp2, isHttp2 ? HttpsExchangeTest::ok : UpstreamEndTest::closing);
    }

    /// The first request waits until a second one went all the way over the same event loop, which therefore knows
    /// by then that the first one's upstream is gone.
    private static void outlives(Door.Setup setup, CountDownLatch goOn, String guest, String upstream)
            throws Exception {
        setup.settings = setup.settings.withEventLoops(1);
        HttpClient.Version version = HttpClient.Version.valueOf("h2".equals(guest) ? "HTTP_2" : "HTTP_1_1");
        try (Origin origin = origin("h2".equals(upstream));
                Door door = setup.open();
                HttpClient client = ProxyFormsTest.proxied(door, version)) {
            String base = "https://" + Door.HOST + ":" + origin.port();
            CompletableFuture<HttpResponse<String>> held = client.sendAsync(
                    HttpRequest.newBuilder(URI.create(base + "/held")).build(), HttpResponse.BodyHandlers.ofString());
            Door.await(() -> !origin.log().isEmpty());
            assertThat(ProxyFormsTest.get(client, base + "/next").statusCode()).isEqualTo(200);
            goOn.countDown();

            assertThat(held.get().statusCode()).isEqualTo(200);
            assertThat(held.get().body()).isEqualTo("hello /held");
            assertThat(door.rows(2)).allMatch(row -> row.decision() == Outcome.ALLOWED);
        }
    }

    @ParameterizedTest
    @CsvSource({"h1,h1", "h1,h2", "h2,h1", "h2,h2"})
    void aRewrittenRequestIsAnsweredInFull(String guest, String upstream) throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Door.Setup setup = new Door.Setup();
        setup.beforeKeeping = () -> awaitQuietly(goOn);
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.path().equals("/held")
                        && request.address().isEmpty()
                ? outcome(new Evaluation.Rewritten(
                        request.withHeaders(request.headers().without("authorization")),
                        List.of(new Mutation.TextReplaced("http"))))
                : Door.allow();
        outlives(setup, goOn, guest, upstream);
    }

    @ParameterizedTest
    @CsvSource({"h1,h1", "h1,h2", "h2,h1", "h2,h2"})
    void aResponseThatAPersonMustSeeIsNotLost(String guest, String upstream) throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpResponse response
                        && response.request().path().equals("/held")
                ? outcome(new Evaluation.Asked())
                : Door.allow();
        setup.desk = (_, _) -> CompletableFuture.supplyAsync(() -> {
            awaitQuietly(goOn);
            return new Answer.Approved(Answer.Scope.ONCE, "a person");
        });
        setup.needsBody = event -> event instanceof SecurityEvent.HttpResponse;
        outlives(setup, goOn, guest, upstream);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }
}
