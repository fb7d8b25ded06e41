package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.tls.TestAuthority;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Upstreams that are slow, lie or die: the client learns the truth, never a shortened answer that looks whole, and the
/// door goes on.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetFaultsTest {
    private static final String STATUS = "curl -sS -o /dev/null -w '%{http_code}' --max-time 30 ";

    private World world;
    private NetSandbox sandbox;

    @BeforeAll
    void start() {
        world = new World();
        sandbox = NetSandbox.start(Account.available().getFirst(), world, "");
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    private Row failed(String domain) {
        Row row = sandbox.awaitRows(1, "SELECT * FROM net_events WHERE domain = ? ORDER BY id", domain)
                .getLast();
        assertThat(row.text("decision")).isEqualTo("error");
        assertThat(row.text("policy_reason")).isNotBlank();
        return row;
    }

    private void goesOn() {
        assertThat(sandbox.exec("curl -sS https://{web}/text").stdout()).isEqualTo(World.TEXT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"expired", "misnamed", "unknown"})
    void certificatesThatAreNotGoodAreRefused(String kind) {
        TestAuthority authority = kind.equals("unknown")
                ? TestAuthority.in(world.upstreams().directory("unknown-authority"))
                : world.upstreams().authority();
        String name = kind + "-certificate.example.test";
        world.upstreams().dns().address(name, "127.0.0.1");
        HttpOrigin origin = world.upstreams()
                .keep(HttpOrigin.secure(
                        switch (kind) {
                            case "expired" -> authority.issueExpired(name);
                            case "misnamed" -> authority.issue("somebody-else.example.test");
                            default -> authority.issue(name);
                        },
                        exchange -> exchange.reply(200, "text/plain", "should not be read\n")));

        Executed run = sandbox.exec("curl -sSi https://" + name + ":" + origin.port() + "/");

        assertThat(run.stdout()).contains(" 502", "Capsem: ", "Remedy: ").doesNotContain("should not be read");
        assertThat(origin.received()).isEmpty();
        assertThat(failed(name).number("status_code")).isEqualTo(502);
        goesOn();
    }

    @Test
    void nobodyListening() {
        world.upstreams().dns().address("nobody.example.test", "127.0.0.1");

        Executed run = sandbox.exec(STATUS + "https://nobody.example.test:1/");

        assertThat(run.stdout()).isEqualTo("502");
        failed("nobody.example.test");
    }

    @Test
    void plainServerBehindHttps() {
        Executed run = sandbox.exec(STATUS + "https://{plain}/text");

        assertThat(run.stdout()).isEqualTo("502");
        failed("plain.example.test");
    }

    /// curl's own words for "not all of it came" are 18 (partial file), 56 (broken data) and 92 (stream error).
    @ParameterizedTest
    @CsvSource({"/short,18|56|92", "/badchunk,18|56|92", "/dies,18|56|92"})
    void brokenBodiesAreBrokenForTheClientToo(String path, String exits) {
        Executed run = sandbox.exec("curl -s -o /dev/null --max-time 50 https://{web}" + path);

        assertThat(Integer.toString(run.exitCode())).matches(exits);
        assertThat(sandbox.awaitRows(1, "SELECT * FROM net_events WHERE path = ?", path))
                .allSatisfy(row -> assertThat(row.text("decision")).isEqualTo("error"));
        goesOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/garbage", "/both"})
    void answersThatAreNotHttpAreRefused(String path) {
        Executed run = sandbox.exec(STATUS + "https://{web}" + path);

        assertThat(run.stdout()).isEqualTo("502");
        goesOn();
    }

    @Test
    void slowAnswersStream() {
        Executed run = sandbox.exec("curl -sSN https://{web}/slow");

        assertThat(run.stdout()).isEqualTo("slow 0\nslow 1\nslow 2\nslow 3\n");
    }

    /// The first part is here before the second is made: nothing on the way collects.
    @Test
    void partsArriveAsTheyAreSent() {
        world.origin("steps", exchange -> {
            try (OutputStream out = exchange.chunked(200, Map.of("content-type", "text/event-stream"))) {
                out.write("data: first\n\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
                // Ends only when the client has seen the first part and asked for more over another connection.
                awaitRequest("steps-go");
                out.write("data: second\n\n".getBytes(StandardCharsets.UTF_8));
            }
        });
        world.origin("steps-go", exchange -> exchange.reply(200, "text/plain", "go\n"));

        Executed run = sandbox.exec("curl -sSN --max-time 50 https://{steps}/ | while read -r line; do echo \"$line\";"
                + " [ \"$line\" = 'data: first' ] && curl -sS https://{steps-go}/; done");

        assertThat(run.stdout()).as("%s", run.stderr()).contains("data: first\ngo\n", "data: second\n");
    }

    private void awaitRequest(String name) throws IOException {
        for (int attempt = 0; attempt < 400; attempt++) {
            if (!sandbox.rows("SELECT id FROM net_events WHERE domain = ?", name + ".example.test")
                    .isEmpty()) {
                return;
            }
            pause();
        }
        throw new IOException("the client never saw the first part");
    }

    @Test
    void clientsThatLeaveAreMissedUpstream() throws IOException {
        HttpOrigin endless = world.origin("endless", exchange -> {
            OutputStream out = exchange.chunked(200, Map.of("content-type", "text/plain"));
            while (true) {
                out.write("more\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
                pause();
            }
        });

        Executed run = sandbox.exec("curl -sSN https://{endless}/ | head -n 2");

        assertThat(run.stdout()).isEqualTo("more\nmore\n");
        for (int attempt = 0; attempt < 300 && endless.openConnections() > 0; attempt++) {
            pause();
        }
        assertThat(endless.openConnections()).isZero();
        assertThat(sandbox.awaitRows(1, "SELECT * FROM net_events WHERE domain = 'endless.example.test'"))
                .hasSize(1);
    }

    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        }
    }
}
