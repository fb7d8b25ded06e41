package dev.capsem.backends.aggregator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.backends.FakeMcpServer;
import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.io.Connector;
import dev.capsem.backends.io.DirectDialer;
import dev.capsem.backends.line.EventLog;
import dev.capsem.backends.line.LineWriter;
import dev.capsem.wire.json.Json;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Servers whose list of tools always has another page: they are asked for some pages, and cut off there.
@Timeout(120)
@Tag("sockets")
class EndlessServersTest {
    private static void add(ArrayNode tools, String name, String description) {
        tools.addObject().put("name", name).put("description", description).putObject("inputSchema");
    }

    @Test
    void fiveThousandToolsAreEnough() throws Exception {
        int pages = pagesAskedFor((page, tools) -> {
            for (int i = 0; i < 1_000; i++) {
                add(tools, "t" + page + "_" + i, "");
            }
        });

        assertThat(pages).isEqualTo(6);
    }

    @Test
    void eightMegabytesAreEnough() throws Exception {
        int pages = pagesAskedFor((page, tools) -> add(tools, "t" + page, "x".repeat(1024 * 1024)));

        assertThat(pages).isEqualTo(8);
    }

    /// They cost nothing to make.
    @Test
    void twoHundredEmptyPagesAreEnough() throws Exception {
        assertThat(pagesAskedFor((page, tools) -> {})).isEqualTo(200);
    }

    private static int pagesAskedFor(BiConsumer<Integer, ArrayNode> maker) throws Exception {
        AtomicInteger pages = new AtomicInteger();
        Pipe input = Pipe.open();
        Pipe output = Pipe.open();
        try (FakeMcpServer server = new FakeMcpServer();
                OutputStream lines = Channels.newOutputStream(input.sink());
                BufferedReader replies = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(output.source()), StandardCharsets.UTF_8))) {
            server.behaviours.put("tools/list", (exchange, request) -> {
                ObjectNode result = Json.object().put("nextCursor", "more");
                maker.accept(pages.incrementAndGet(), result.putArray("tools"));
                FakeMcpServer.json(exchange, request, result);
            });
            Aggregator aggregator = aggregator(output);
            Thread running = Thread.ofPlatform().start(() -> aggregator.run(Channels.newInputStream(input.source())));

            lines.write(("[{\"name\":\"endless\",\"url\":\"" + server.url() + "\"}]\n"
                            + "{\"id\":1,\"method\":\"list_servers\"}\n")
                    .getBytes(StandardCharsets.UTF_8));
            awaitReply(replies);
            input.sink().close();
            running.join();
        }
        return pages.get();
    }

    private static Aggregator aggregator(Pipe output) {
        return new Aggregator(
                new LineWriter(Channels.newOutputStream(output.sink())),
                new HttpClient(new Connector(new DirectDialer(), (SSLSocketFactory) SSLSocketFactory.getDefault())),
                new EventLog(
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                        InstantSource.system()));
    }

    /// Events may come before it.
    private static void awaitReply(BufferedReader replies) throws IOException {
        String line = replies.readLine();
        while (line != null && Json.parse(line).path("id").asInt(-1) != 1) {
            line = replies.readLine();
        }
        assertThat(line).contains("\"connected\":true");
    }
}
