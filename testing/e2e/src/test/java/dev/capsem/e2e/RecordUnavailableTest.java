package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Executed;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Nothing leaves a sandbox whose record cannot be written; once it can, everything that left is on it.
@Tag("e2e")
class RecordUnavailableTest {
    /// Asks on one connection, whose name is known, until it is refused, and shows with what. Then asks anew, where the
    /// name may be refused already.
    private static final String ASK_UNTIL_REFUSED = """
            code=$(curl -s -m 60 --rate 20/s --fail-with-body --fail-early -o /tmp/said -w '%{http_code}\\n' \
              "https://{web}/text?n=exfil-[1-500]" | tail -n 1)
            cat /tmp/said; echo "code=$code"
            for n in 1 2 3; do curl -s -m 60 -o /dev/null -w 'then=%{http_code}\\n' "https://{web}/text?n=EXFIL-$n" & done; wait
            """;

    @Test
    void whatLeavesIsOnRecordAndNothingElseLeaves() throws SQLException {
        try (World world = new World();
                NetSandbox sandbox = NetSandbox.startAlone(Account.available().getFirst(), world, "")) {
            assertThat(sandbox.exec("curl -s -o /dev/null -w '%{http_code}' https://{web}/text?n=before")
                            .stdout())
                    .isEqualTo("200");

            try (Connection other = DriverManager.getConnection(
                            "jdbc:sqlite:" + sandbox.directory().resolve("session.db"));
                    Statement statement = other.createStatement()) {
                Executed asked = askWhileLocked(sandbox, statement);
                assertThat(asked.stdout())
                        .contains("Capsem: nothing may leave the sandbox unrecorded")
                        .contains("Remedy: ")
                        .contains("code=503")
                        .doesNotContain("then=200");
                Outcome refused = sandbox.installation().capsem("exec", sandbox.id(), "--", "true");
                assertThat(refused.exitCode()).isNotZero();
                assertThat(refused.stderr()).contains("its record cannot be written");
                assertThat(sandbox.installation().capsem("info", sandbox.id()).stdout())
                        .contains("could not be recorded");
                statement.executeUpdate("ROLLBACK");
            }

            assertThat(sandbox.awaitRows(1, "SELECT * FROM security_event_steps WHERE pack_id = 'record_unavailable'"))
                    .isNotEmpty();
            long left = world.web().received().stream()
                    .filter(request -> request.target().contains("n=exfil-"))
                    .count();
            assertThat(sandbox.awaitRows(
                            (int) left,
                            "SELECT * FROM net_events WHERE query GLOB 'n=exfil-*' AND decision = 'allowed'"))
                    .hasSize((int) left);
            assertThat(world.web().received())
                    .noneMatch(request -> request.target().contains("n=EXFIL-"));
            assertThat(sandbox.exec("curl -s -o /dev/null -w '%{http_code}' https://{web}/text?n=after")
                            .stdout())
                    .isEqualTo("200");
            assertThat(sandbox.installation().capsem("verify", sandbox.id()).stdout())
                    .contains("unbroken")
                    .doesNotContain("lost");
        }
    }

    /// Locked by another writer, session.db is as good as one on a full disk. The command is still admitted: its own
    /// row is the first that cannot be written.
    private static Executed askWhileLocked(NetSandbox sandbox, Statement statement) throws SQLException {
        statement.executeUpdate("BEGIN IMMEDIATE");
        return sandbox.exec(ASK_UNTIL_REFUSED);
    }
}
