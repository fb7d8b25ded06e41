package dev.capsem.mcp.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorProtocol;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class AggregatorClientTest {
    private static final Definitions SERVERS = out -> out.write("[{\"name\":\"s\"}]".getBytes(StandardCharsets.UTF_8));

    private final AtomicInteger ended = new AtomicInteger();
    private final BlockingQueue<AggregatorEvent> events = new LinkedBlockingQueue<>();
    private Pipe requests;
    private Pipe replies;
    private AggregatorClient client;
    private BufferedReader aggregator;
    private OutputStream answers;

    @BeforeEach
    void start() throws IOException {
        requests = Pipe.open();
        replies = Pipe.open();
        aggregator = new BufferedReader(
                new InputStreamReader(Channels.newInputStream(requests.source()), StandardCharsets.UTF_8));
        answers = Channels.newOutputStream(replies.sink());
        client = AggregatorClient.start(
                new AggregatorPipes(
                        Channels.newInputStream(replies.source()),
                        Channels.newOutputStream(requests.sink()),
                        ended::incrementAndGet),
                SERVERS,
                events::add);
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        requests.source().close();
        replies.sink().close();
    }

    @Test
    void theFirstLineIsTheDefinitionsAndIdsCountFromOne() throws Exception {
        client.tell(new Operation.ListServers());
        client.tell(new Operation.Shutdown());

        assertThat(aggregator.readLine()).isEqualTo("[{\"name\":\"s\"}]");
        assertThat(aggregator.readLine()).isEqualTo("{\"id\":1,\"method\":\"list_servers\"}");
        assertThat(aggregator.readLine()).isEqualTo("{\"id\":2,\"method\":\"shutdown\"}");
    }

    @Test
    void repliesFindTheirCallersInAnyOrder() throws Exception {
        List<CompletableFuture<AggregatorReply>> waiting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiting.add(client.submit(new Operation.ListServers()));
        }

        for (int id = 50; id >= 1; id--) {
            answer("{\"id\":" + id + ",\"error\":\"" + id + "\"}");
        }

        for (int i = 0; i < 50; i++) {
            assertThat(waiting.get(i).get(60, TimeUnit.SECONDS))
                    .isEqualTo(AggregatorReply.Failed.of(Integer.toString(i + 1)));
        }
    }

    @Test
    void nonsenseUnknownIdsAndOverlongLinesHurtNobody() throws Exception {
        CompletableFuture<AggregatorReply> waiting = client.submit(new Operation.ListServers());

        answer("not json");
        answer("{\"id\":99,\"ok\":true}");
        answer("{\"id\":1,\"result\":{\"x\":\"" + "y".repeat(AggregatorProtocol.LINE_BYTES_MAX) + "\"}}");
        answer("{\"id\":1,\"ok\":true}");

        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(new AggregatorReply.Ok());
    }

    @Test
    void aRequestOverTheLimitFailsAloneAndAtOnce() {
        CompletableFuture<AggregatorReply> reply = client.submit(new Operation.CallTool(
                "s__t",
                Optional.of(Json.object().put("x", "y".repeat(AggregatorProtocol.LINE_BYTES_MAX))),
                Optional.empty(),
                false));

        assertThat(reply.join())
                .isInstanceOfSatisfying(
                        AggregatorReply.Failed.class,
                        failed -> assertThat(failed.error()).startsWith("request too large: "));
    }

    @Test
    void deathFailsWhatWaitsAndWhatComesLater() throws Exception {
        CompletableFuture<AggregatorReply> waiting = client.submit(new Operation.ListServers());

        replies.sink().close();

        assertThat(waiting.get(60, TimeUnit.SECONDS))
                .isEqualTo(AggregatorReply.Failed.of("aggregator not available: gone"));
        client.over().get(60, TimeUnit.SECONDS);
        for (int i = 0; i < 200; i++) {
            assertThat(client.submit(new Operation.ListServers()).get(60, TimeUnit.SECONDS))
                    .isInstanceOf(AggregatorReply.Failed.class);
        }
        assertThat(ended.get()).isEqualTo(1);
    }

    @Test
    void eventsOfACallGoToItsOwnerAndOthersToTheListener() throws Exception {
        BlockingQueue<AggregatorEvent> mine = new LinkedBlockingQueue<>();
        ToolBackend.Pending _ = client.submit(new Operation.ListServers(), mine::add);

        answer("{\"event\":\"notification\",\"server\":\"s\",\"call\":1,\"method\":\"notifications/progress\"}");
        answer("{\"event\":\"notification\",\"server\":\"s\",\"method\":\"notifications/tools/list_changed\"}");

        assertThat(mine.take().method()).isEqualTo("notifications/progress");
        assertThat(events.take().method()).isEqualTo("notifications/tools/list_changed");
    }

    @Test
    void refreshStreamsTheDefinitions() throws Exception {
        CompletableFuture<AggregatorReply> reply = client.refresh(SERVERS);
        aggregator.readLine();

        assertThat(aggregator.readLine())
                .isEqualTo("{\"id\":1,\"method\":\"refresh\",\"params\":{\"servers\":[{\"name\":\"s\"}]}}");
        answer("{\"id\":1,\"ok\":true}");
        assertThat(reply.get(60, TimeUnit.SECONDS)).isEqualTo(new AggregatorReply.Ok());
    }

    private void answer(String line) throws IOException {
        answers.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
