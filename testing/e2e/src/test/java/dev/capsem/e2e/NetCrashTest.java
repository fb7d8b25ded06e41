package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.NetSandbox.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/// `kill -9` of a capsem-process while its door is busy: what a reader saw before is there afterwards, unchanged, the
/// chain of hashes holds, and the next start goes on from there.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetCrashTest {
    private static final int ROUNDS = 3;

    /// Enough that several transactions were committed and others are under way.
    private static final int ROWS_BEFORE_THE_END = 200;

    private World world;
    private NetSandbox first;
    private Installation installation;

    @BeforeAll
    void start() {
        world = new World();
        first = NetSandbox.startAlone(Account.available().getLast(), world, "");
        installation = first.installation();
        installation.create("{\"name\":\"keeper\",\"persistent\":true,\"profile_id\":\"" + first.profile() + "\"}");
    }

    @AfterAll
    void stop() {
        first.close();
        world.close();
    }

    private List<Row> rows(String sql) {
        return NetSandbox.rows(installation.home().resolve("run/persistent/keeper/session.db"), sql);
    }

    private JsonNode facts() {
        return installation.get("/info/keeper").expect(200).json();
    }

    @Test
    void committedRowsSurviveAKillUnderLoad() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            int before = rows("SELECT id FROM net_events").size();
            Thread load = Thread.ofVirtual().start(this::load);
            await("SELECT id FROM net_events", before + ROWS_BEFORE_THE_END);
            long pid = facts().path("pid").asLong();
            List<Row> events = rows("SELECT * FROM security_events ORDER BY event_id");
            List<Row> committed = rows("SELECT * FROM net_events ORDER BY id");

            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            load.join();
            awaitEnd(pid);

            assertThat(rows("SELECT * FROM net_events ORDER BY id"))
                    .as("round %s", round)
                    .startsWith(committed.toArray(Row[]::new));
            assertThat(rows("SELECT * FROM security_events ORDER BY event_id"))
                    .as("round %s", round)
                    .containsAll(events);
            isIntact();
            installation.post("/resume/keeper", "{}").expect(200);
        }
        assertThat(installation
                        .exec("keeper", world.command("curl -sS 'https://{web}/text?last'"))
                        .stdout())
                .isEqualTo(World.TEXT);
        await("SELECT id FROM net_events WHERE query = 'last'", 1);
        isIntact();
        assertThat(rows("SELECT id FROM net_events"))
                .hasSizeLessThanOrEqualTo(world.web().received().size());
    }

    /// Ends in whatever way the death of the sandbox ends it.
    private void load() {
        String fetch = "curl -sSZ --parallel-max 8 -o /dev/null 'https://{web}/text?n=[1-100000]'";
        installation.request(
                "POST",
                "/exec/keeper",
                Optional.of(Installation.JSON
                        .createObjectNode()
                        .put("command", world.command(fetch))
                        .put("timeout_secs", 60)
                        .toString()
                        .getBytes(StandardCharsets.UTF_8)),
                "content-type: application/json");
    }

    private void await(String sql, int count) throws InterruptedException {
        for (int attempt = 0; rows(sql).size() < count; attempt++) {
            assertThat(attempt).as("rows of %s", sql).isLessThan(1_200);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private void awaitEnd(long pid) throws InterruptedException {
        for (int attempt = 0;
                ProcessHandle.of(pid).isPresent()
                        || facts().path("status").asString().equals("Running");
                attempt++) {
            assertThat(attempt).as("the service notices").isLessThan(600);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private void isIntact() {
        assertThat(installation
                        .get("/verify/keeper")
                        .expect(200)
                        .json()
                        .path("intact")
                        .asBoolean())
                .isTrue();
    }
}
