package dev.capsem.mcp.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.Operation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SupervisedBackendTest {
    private static final Definitions SERVERS = out -> out.write("[]".getBytes(StandardCharsets.UTF_8));

    /// An aggregator that answers everything with ok until it is killed.
    private static final class FakeAggregator {
        private final Pipe requests;
        private final Pipe replies;

        FakeAggregator() throws IOException {
            requests = Pipe.open();
            replies = Pipe.open();
            Thread.ofPlatform().daemon().start(this::answer);
        }

        private void answer() {
            try (BufferedReader in = new BufferedReader(
                            new InputStreamReader(Channels.newInputStream(requests.source()), StandardCharsets.UTF_8));
                    OutputStream out = Channels.newOutputStream(replies.sink())) {
                in.readLine();
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    String id = line.replaceAll("\\D*(\\d+).*", "$1");
                    out.write(("{\"id\":" + id + ",\"ok\":true}\n").getBytes(StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                // Killed.
            }
        }

        AggregatorPipes pipes() {
            return new AggregatorPipes(
                    Channels.newInputStream(replies.source()), Channels.newOutputStream(requests.sink()), () -> {});
        }

        void kill() throws IOException {
            replies.sink().close();
        }
    }

    @Test
    void whatComesBeforeTheFirstStartWaitsForIt() throws Exception {
        FakeAggregator aggregator = new FakeAggregator();
        try (SupervisedBackend backend = new SupervisedBackend(() -> Optional.of(aggregator.pipes()), SERVERS)) {
            CompletableFuture<AggregatorReply> early = backend.submit(new Operation.ListServers());
            assertThat(early).isNotDone();

            run(backend);

            assertThat(early.get()).isEqualTo(new AggregatorReply.Ok());
        }
    }

    @Test
    void oneThatDiesIsStartedAgainAndItsListsAreAnnounced() throws Exception {
        BlockingQueue<FakeAggregator> started = new LinkedBlockingQueue<>();
        BlockingQueue<AggregatorEvent> announced = new LinkedBlockingQueue<>();
        try (SupervisedBackend backend = new SupervisedBackend(
                () -> {
                    FakeAggregator aggregator = new FakeAggregator();
                    started.add(aggregator);
                    return Optional.of(aggregator.pipes());
                },
                SERVERS)) {
            backend.listen(announced::add);
            run(backend);
            FakeAggregator first = started.take();
            assertThat(backend.submit(new Operation.ListServers()).get()).isEqualTo(new AggregatorReply.Ok());

            first.kill();
            started.take();

            AggregatorReply reply = backend.submit(new Operation.ListServers()).get();
            while (reply instanceof AggregatorReply.Failed) {
                Thread.sleep(10);
                reply = backend.submit(new Operation.ListServers()).get();
            }
            assertThat(reply).isEqualTo(new AggregatorReply.Ok());
            assertThat(announced.stream().map(AggregatorEvent::method)).contains("notifications/tools/list_changed");
        }
    }

    @Test
    void withoutTheProgramListsAreEmptyAndCallsFail() throws Exception {
        try (SupervisedBackend backend = new SupervisedBackend(Optional::empty, SERVERS)) {
            run(backend);

            assertThat(backend.submit(new Operation.ListTools(Optional.empty())).get())
                    .isEqualTo(new AggregatorReply.Page(Kind.TOOLS, List.of(), Optional.empty()));
            assertThat(backend.submit(new Operation.CallTool("s__t", Optional.empty(), Optional.empty(), false))
                            .get())
                    .isEqualTo(AggregatorReply.Failed.of("aggregator not available: s__t"));
            assertThat(backend.refresh().get()).isEqualTo(new AggregatorReply.Ok());
        }
    }

    @Test
    void oneThatCannotStartFailsCallsAndIsTriedAgain() throws Exception {
        BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();
        try (SupervisedBackend backend = new SupervisedBackend(
                () -> {
                    attempts.add(1);
                    throw new IOException("no bwrap");
                },
                SERVERS)) {
            run(backend);

            assertThat(backend.submit(new Operation.ListTools(Optional.empty())).get())
                    .isInstanceOf(AggregatorReply.Failed.class);
            attempts.take();
            attempts.take();
        }
    }

    private static void run(SupervisedBackend backend) {
        Thread.ofVirtual().start(() -> {
            try {
                backend.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
