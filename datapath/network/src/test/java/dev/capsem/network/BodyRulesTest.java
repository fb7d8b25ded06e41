package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Mutation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.network.http.limit.Timeouts;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("FutureReturnValueIgnored")
@Timeout(180)
@Tag("sockets")
class BodyRulesTest {
    private static Evaluation rewritten(SecurityEvent event) {
        return new Evaluation(
                new Evaluation.Rewritten(event, List.of(new Mutation.TextReplaced("http"))),
                Optional.of(RuleId.of("http", "change")),
                Optional.of("changed"),
                List.of(),
                List.of());
    }

    private static Door.Setup rewriting(UnaryOperator<SecurityEvent.HttpRequest> change) {
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.address().isEmpty()
                ? rewritten(change.apply(request))
                : Door.allow();
        return setup;
    }

    static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }

    private static String bodyText(Body body) {
        return body instanceof Body.Text text ? text.text() : "";
    }

    private static String post(String body, String... headers) {
        return "POST /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\n" + String.join("", headers) + "Content-Length: "
                + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void aRuleOnTheBodySeesAllOfItBeforeAnythingLeaves() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.needsBody = event -> event instanceof SecurityEvent.HttpRequest;
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && bodyText(request.body()).contains("secret")
                ? HttpsExchangeTest.block("no_secrets", "a secret")
                : Door.allow();
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            byte[] packed = gzip("x".repeat(5_000) + "secret");

            assertThat(client.exchange(post("harmless")).status()).isEqualTo(200);
            assertThat(client.exchange(post("x".repeat(100_000) + "secret")).status())
                    .isEqualTo(403);
            client.send("POST /z HTTP/1.1\r\nHost: " + Door.HOST + "\r\nContent-Encoding: gzip\r\nContent-Length: "
                    + packed.length + "\r\n\r\n");
            client.send(packed);
            assertThat(client.read(false).status()).isEqualTo(403);
            assertThat(origin.log()).hasSize(1);
            assertThat(origin.log().get(0).text()).isEqualTo("harmless");
        }
    }

    @Test
    void aBodyLargerThanInspectedIsTooLargeAndABombToo() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.needsBody = event -> event instanceof SecurityEvent.HttpRequest;
        setup.rules =
                event -> event instanceof SecurityEvent.HttpRequest request && request.body() instanceof Body.TooLarge
                        ? new Evaluation(
                                new Evaluation.Blocked(BlockCause.BODY_TOO_LARGE),
                                Optional.empty(),
                                Optional.empty(),
                                List.of(),
                                List.of())
                        : Door.allow();
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open()) {
            byte[] bomb = gzip("a".repeat(9 * 1024 * 1024));
            try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
                client.send("POST /z HTTP/1.1\r\nHost: " + Door.HOST + "\r\nContent-Encoding: gzip\r\nContent-Length: "
                        + bomb.length + "\r\n\r\n");
                client.send(bomb);
                assertThat(client.read(false).status()).isEqualTo(403);
            }
            try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
                client.send("POST /z HTTP/1.1\r\nHost: " + Door.HOST + "\r\nContent-Length: 11000000\r\n\r\n");
                client.send(new byte[10 * 1024 * 1024 + 1]);
                assertThat(client.read(false).status()).isEqualTo(403);
            }
            assertThat(origin.log()).isEmpty();
        }
    }

    @Test
    void aBodyThatCannotBeDecodedIsBlockedAndTheGuestIsToldWhy() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.needsBody = event -> event instanceof SecurityEvent.HttpRequest;
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.body() instanceof Body.TooLarge
                ? Evaluation.blocked(BlockCause.BODY_TOO_LARGE, "the rule reads a body that is too large to inspect")
                : Door.allow();
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response unknown = client.exchange(post("x", "Content-Encoding: compress\r\n"));
            Http1Client.Response cut = client.exchange(post("\u001f", "Content-Encoding: gzip\r\n"));

            Http1Client.Response charset = client.exchange(post("x", "Content-Type: text/plain; charset=utf-7\r\n"));

            assertThat(charset.status()).isEqualTo(403);
            assertThat(charset.text())
                    .contains("its charset is not known here: utf-7")
                    .contains("in UTF-8");
            assertThat(unknown.status()).isEqualTo(403);
            assertThat(unknown.text()).contains("none of gzip").contains("without Content-Encoding");
            assertThat(cut.status()).isEqualTo(403);
            assertThat(cut.text()).contains("in the middle of its compressed data");
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(3)).allMatch(row -> row.decision() == Outcome.DENIED);
            assertThat(door.rows(3))
                    .anyMatch(row -> row.policy().reason().orElse("").contains("none of gzip"));
        }
    }

    @Test
    void aChangedBodyHasNoTagOfTheOneThatCame() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.needsBody = event -> event instanceof SecurityEvent.HttpResponse;
        setup.rules = event -> event instanceof SecurityEvent.HttpResponse response
                ? rewritten(response.withBody(Body.of("changed")))
                : Door.allow();
        try (Origin origin = Origin.plain(request -> {
                    FullHttpResponse tagged = HttpsExchangeTest.ok(request);
                    tagged.headers().set("etag", "\"1\"").set("accept-ranges", "bytes");
                    return tagged;
                });
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange("GET /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");

            assertThat(response.text()).isEqualTo("changed");
            assertThat(response.headers()).doesNotContainKey("etag").doesNotContainKey("accept-ranges");
        }
    }

    /// The rule could never be asked, and the guest would wait for ever.
    @Test
    void aStreamOfEventsThatNeverEndsIsRefusedWithTheReason() throws Exception {
        Timeouts usual = Door.PATIENT;
        Door.Setup setup = new Door.Setup();
        setup.needsBody = event -> event instanceof SecurityEvent.HttpResponse;
        setup.settings = setup.settings.withTimeouts(new Timeouts(
                usual.connect(),
                usual.guestHandshake(),
                usual.firstByte(),
                usual.requestHead(),
                usual.guestIdle(),
                usual.responseHead(),
                usual.bodyIdle(),
                Duration.ofMillis(300),
                usual.upstreamIdle()));
        try (Origin origin = Origin.raw(new Events());
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange("GET /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.text()).contains("did not end within").doesNotContain("data:");
            NetRow row = door.rows(1).getFirst();
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.policy().reason().orElseThrow()).contains("stream of events");
        }
    }

    @ChannelHandler.Sharable
    private static final class Events extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            ctx.writeAndFlush(Unpooled.copiedBuffer(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n",
                    StandardCharsets.US_ASCII));
        }
    }

    @Test
    void strippedHeadersAreNeitherForwardedNorRecorded() throws Exception {
        Door.Setup setup = rewriting(request ->
                request.withHeaders(request.headers().without("x-api-key")).withPath("/other"));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange(
                                    "GET /p?a=1 HTTP/1.1\r\nHost: " + Door.HOST + "\r\nX-Api-Key: k\r\nX-B: 2\r\n\r\n")
                            .text())
                    .isEqualTo("hello /other?a=1");
            assertThat(origin.log().get(0).headers()).containsEntry("x-b", "2").doesNotContainKey("x-api-key");
            NetRow row = door.rows(1).get(0);
            assertThat(row.previews().requestHeaders().orElseThrow())
                    .contains("x-b")
                    .doesNotContain("x-api-key");
            assertThat(row.decision()).isEqualTo(Outcome.ALLOWED);
            assertThat(row.policy().action()).contains("rewrite");
            assertThat(door.recorded.get(0).event().judgement().finalAction()).isEqualTo(FinalAction.REWRITE);
            assertThat(door.recorded.get(0).event().mutationCount()).isEqualTo(1);
        }
    }

    @Test
    void aRewrittenBodyHasItsOwnLengthAndNoCoding() throws Exception {
        Door.Setup setup = rewriting(
                request -> request.withBody(Body.of(bodyText(request.body()).replace("4111", "XXXX-XXXX"))));
        setup.needsBody = event -> event instanceof SecurityEvent.HttpRequest;
        byte[] packed = gzip("card 4111!");
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send("POST /z HTTP/1.1\r\nHost: " + Door.HOST
                    + "\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + Integer.toHexString(packed.length) + "\r\n");
            client.send(packed);
            client.send("\r\n0\r\n\r\n");

            assertThat(client.read(false).status()).isEqualTo(200);
            assertThat(origin.log().get(0).text()).isEqualTo("card XXXX-XXXX!");
            assertThat(origin.log().get(0).headers())
                    .containsEntry("content-length", "15")
                    .doesNotContainKeys("content-encoding", "transfer-encoding");
        }
    }

    private static FullHttpResponse packed(FullHttpRequest request) {
        try {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(gzip("the answer is 42")));
            response.headers()
                    .set("content-encoding", "gzip")
                    .set("content-type", "text/plain")
                    .set("content-length", response.content().readableBytes());
            return response;
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Test
    void responsesAreJudgedAtTheirHeadAndHeldOnlyForBodyRules() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.needsBody = event -> event instanceof SecurityEvent.HttpResponse response
                && response.request().path().startsWith("/held");
        setup.rules = event -> switch (event) {
            case SecurityEvent.HttpResponse response
            when response.request().path().equals("/head") -> HttpsExchangeTest.block("no_head", "not this answer");
            case SecurityEvent.HttpResponse response
            when bodyText(response.body()).contains("42")
                    && response.request().path().equals("/held") ->
                HttpsExchangeTest.block("no_answers", "not this answer");
            case SecurityEvent.HttpResponse response
            when response.request().path().equals("/held/changed") ->
                rewritten(response.withBody(Body.of(bodyText(response.body()).replace("42", "secret"))));
            default -> Door.allow();
        };
        try (Origin origin = Origin.plain(BodyRulesTest::packed);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            String host = " HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n";

            assertThat(client.exchange("GET /head" + host).status()).isEqualTo(403);
            assertThat(client.exchange("GET /held" + host).status()).isEqualTo(403);
            Http1Client.Response changed = client.exchange("GET /held/changed" + host);
            Http1Client.Response plain = client.exchange("GET /plain" + host);

            assertThat(changed.text()).isEqualTo("the answer is secret");
            assertThat(changed.headers()).doesNotContainKey("content-encoding");
            assertThat(plain.body()).isEqualTo(gzip("the answer is 42"));
            assertThat(plain.headers()).containsEntry("content-encoding", "gzip");
            List<NetRow> rows = door.rows(4);
            assertThat(rows)
                    .extracting(NetRow::decision)
                    .containsExactly(Outcome.DENIED, Outcome.DENIED, Outcome.ALLOWED, Outcome.ALLOWED);
            assertThat(rows.get(3).previews().responseBody()).contains("the answer is 42");
            assertThat(rows.get(0).policy().rule()).contains("security.rules.http.no_head");
        }
    }

    @Test
    void aQuestionWaitsForItsAnswer() throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        Door.Setup setup = asking(answer, asked);
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send(post("abc"));
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(origin.log()).isEmpty();
            answer.complete(new Answer.Approved(Answer.Scope.ONCE, "cli"));

            assertThat(client.read(false).status()).isEqualTo(200);
            assertThat(origin.log().get(0).text()).isEqualTo("abc");
            assertThat(door.rows(1)).hasSize(1);
            assertThat(door.recorded.get(0).event().steps())
                    .anyMatch(step -> step.message().orElse("").contains("approved by cli"));
        }
    }

    @Test
    void aRefusedQuestionIsABlock() throws Exception {
        CompletableFuture<Answer> answer =
                CompletableFuture.completedFuture(new Answer.Refused(Answer.Cause.DENIED, "the person said no", "cli"));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = asking(answer, new CountDownLatch(1)).open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange(post("abc"));

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.text()).contains("the person said no");
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void aGuestThatLeavesWithdrawsItsQuestion() throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch withdrawn = new CountDownLatch(1);
        answer.whenComplete((_, _) -> withdrawn.countDown());
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = asking(answer, asked).open()) {
            try (Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
                client.send(post("abc"));
                assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            }

            assertThat(withdrawn.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(answer).isCancelled();
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void aGuestThatLeavesAPlainConnectionWithdrawsItsQuestion() throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = asking(answer, asked).open()) {
            try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
                client.send(post("abc"));
                assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            }

            assertThat(answer.get(30, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Answer.Refused.class,
                            refused -> assertThat(refused.cause()).isEqualTo(Answer.Cause.WITHDRAWN));
            assertThat(door.rows(1)).hasSize(1);
            assertThat(origin.connections()).isZero();
        }
    }

    /// Who approves a name has not approved where it leads: they are asked about the address, once, and nobody is told
    /// "approved" about something that is blocked.
    @Test
    void aNameThatLeadsInsideIsAskedAboutWithItsAddress() throws Exception {
        for (boolean isApproved : List.of(true, false)) {
            List<SecurityEvent.HttpRequest> questions = new CopyOnWriteArrayList<>();
            Door.Setup setup = unspokenInside();
            setup.desk = (event, _) -> {
                SecurityEvent.HttpRequest request = (SecurityEvent.HttpRequest) event;
                questions.add(request);
                return CompletableFuture.completedFuture(
                        request.address().isEmpty() || isApproved
                                ? new Answer.Approved(Answer.Scope.ONCE, "me")
                                : new Answer.Refused(Answer.Cause.DENIED, "denied by me", "me"));
            };
            try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                    Door door = setup.open();
                    Http1Client client = new Http1Client(door.connect(origin.port()))) {
                int status = client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n")
                        .status();

                assertThat(status).isEqualTo(isApproved ? 200 : 403);
                assertThat(questions)
                        .extracting(request -> request.addressText().orElse("none"))
                        .containsExactly("none", "127.0.0.1");
                assertThat(origin.connections()).isEqualTo(isApproved ? 1 : 0);
                assertThat(door.rows(1).getFirst().policy().outcome()).contains(isApproved ? "approved" : "denied");
            }
        }
    }

    /// Where the address is known from the start, one question shows all of it.
    @Test
    void anAddressThatIsKnownIsAskedAboutOnce() throws Exception {
        List<SecurityEvent.HttpRequest> questions = new CopyOnWriteArrayList<>();
        Door.Setup setup = unspokenInside();
        setup.known = _ -> Optional.of(InetAddress.getLoopbackAddress());
        setup.desk = (event, _) -> {
            questions.add((SecurityEvent.HttpRequest) event);
            return CompletableFuture.completedFuture(new Answer.Approved(Answer.Scope.ONCE, "me"));
        };
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            int status = client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n")
                    .status();

            assertThat(status).isEqualTo(200);
            assertThat(questions)
                    .extracting(request -> request.addressText().orElse("none"))
                    .containsExactly("127.0.0.1");
        }
    }

    /// A rule that blocks such addresses is obeyed, whatever a person said of the name.
    @Test
    void noApprovalOpensAnAddressThatARuleBlocks() throws Exception {
        Door.Setup setup = unspokenInside();
        Function<SecurityEvent, Evaluation> names = setup.rules;
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request && request.leadsInside()
                ? HttpsExchangeTest.block("no_inside", "nothing inside")
                : names.apply(event);
        setup.desk = (_, _) -> CompletableFuture.completedFuture(new Answer.Approved(Answer.Scope.SESSION, "me"));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            int status = client.exchange("GET / HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\n\r\n")
                    .status();

            assertThat(status).isEqualTo(403);
            assertThat(origin.connections()).isZero();
            assertThat(door.rows(1).getFirst().policy().rule()).contains("security.rules.http.no_inside");
        }
    }

    /// Asks about every name; no rule speaks of addresses.
    private static Door.Setup unspokenInside() {
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request && request.leadsInside()
                ? Evaluation.blocked(BlockCause.PRIVATE_ADDRESS, "no rule speaks of it")
                : event instanceof SecurityEvent.HttpRequest
                        ? new Evaluation(
                                new Evaluation.Asked(),
                                Optional.of(RuleId.of("http", "ask_first")),
                                Optional.of("ask"),
                                List.of(),
                                List.of())
                        : Door.allow();
        return setup;
    }

    private static Door.Setup asking(CompletableFuture<Answer> answer, CountDownLatch asked) {
        Door.Setup setup = new Door.Setup();
        ApprovalDesk desk = (_, _) -> {
            asked.countDown();
            return answer;
        };
        setup.desk = desk;
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.address().isEmpty()
                ? new Evaluation(
                        new Evaluation.Asked(),
                        Optional.of(RuleId.of("http", "ask_first")),
                        Optional.of("ask"),
                        List.of(),
                        List.of())
                : Door.allow();
        return setup;
    }
}
