package dev.capsem.telemetry.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.read.SessionReader;
import dev.capsem.telemetry.write.SessionWriter;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class CostReportTest {
    @TempDir
    Path directory;

    /// Two turns of one agent, the second with a model whose price nobody knows, and a call of another program.
    private SessionReader record() throws SQLException {
        Path file = directory.resolve("session.db");
        SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK).close();
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement insert = connection.createStatement()) {
            insert.executeUpdate(
                    "INSERT INTO model_calls (timestamp, provider, model, process_name, method, path,"
                            + " input_tokens, output_tokens, duration_ms, estimated_cost_usd, trace_id, usage_details) VALUES"
                            + " ('2026-03-01T10:00:00Z', 'anthropic', 'sonnet', 'claude', 'POST', '/', 100, 20, 900, 0.25, 't1',"
                            + "  '{\"cache_read\":40,\"cache_write\":5,\"thinking\":7}'),"
                            + " ('2026-03-01T10:00:01Z', 'anthropic', 'sonnet', 'claude', 'POST', '/', 10, 2, 100, 0.5, 't1', NULL),"
                            + " ('2026-03-01T10:00:02Z', 'anthropic', 'moon', 'claude', 'POST', '/', 1, 1, 10, NULL, 't2', 'no JSON'),"
                            + " ('2026-03-01T10:00:03Z', 'openai', 'sonnet', NULL, 'POST', '/', NULL, NULL, 5, 1.0, 't3', '{}')");
        }
        return SessionReader.open(file);
    }

    @Test
    void addsUpTheTurnsOfAnAgent() throws SQLException {
        try (SessionReader reader = record()) {
            JsonNode rows = reader.cost(CostReport.CostBy.TRACE).path("rows");

            assertThat(rows.size()).isEqualTo(3);
            JsonNode first = rows.get(0);
            assertThat(first.path("key").asString()).isEqualTo("t1");
            assertThat(first.path("models").asString()).isEqualTo("sonnet");
            assertThat(first.path("calls").asLong()).isEqualTo(2);
            assertThat(first.path("input_tokens").asLong()).isEqualTo(110);
            assertThat(first.path("output_tokens").asLong()).isEqualTo(22);
            assertThat(first.path("cache_read_tokens").asLong()).isEqualTo(40);
            assertThat(first.path("cache_write_tokens").asLong()).isEqualTo(5);
            assertThat(first.path("thinking_tokens").asLong()).isEqualTo(7);
            assertThat(first.path("cost_usd").asDouble()).isEqualTo(0.75);
            assertThat(first.path("unknown_calls").asLong()).isZero();
            assertThat(first.path("duration_ms").asLong()).isEqualTo(1_000);
        }
    }

    @Test
    void aSumWithAnUnknownPriceIsUnknown() throws SQLException {
        try (SessionReader reader = record()) {
            JsonNode report = reader.cost(CostReport.CostBy.PROCESS);
            JsonNode claude = report.path("rows").get(0);

            assertThat(claude.path("key").asString()).isEqualTo("claude");
            assertThat(claude.path("cost_usd").isNull()).isTrue();
            assertThat(claude.path("known_cost_usd").asDouble()).isEqualTo(0.75);
            assertThat(claude.path("unknown_calls").asLong()).isEqualTo(1);
            assertThat(report.path("rows").get(1).path("key").isNull()).isTrue();
            assertThat(report.path("rows").get(1).path("cost_usd").asDouble()).isEqualTo(1.0);
            assertThat(report.path("total").path("calls").asLong()).isEqualTo(4);
            assertThat(report.path("total").path("cost_usd").isNull()).isTrue();
            assertThat(report.path("total").path("known_cost_usd").asDouble()).isEqualTo(1.75);
        }
    }

    @Test
    void aFailedCallWithoutTokensCostsNothing() throws SQLException {
        Path file = directory.resolve("session.db");
        SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK).close();
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement insert = connection.createStatement()) {
            insert.executeUpdate(
                    "INSERT INTO model_calls (timestamp, provider, model, method, path, status_code, input_tokens,"
                            + " estimated_cost_usd) VALUES"
                            + " ('2026-03-01T10:00:00Z', 'anthropic', 'opus', 'POST', '/', 429, NULL, NULL),"
                            + " ('2026-03-01T10:00:01Z', 'anthropic', 'opus', 'POST', '/', 200, 5, 0.5)");
        }
        try (SessionReader reader = SessionReader.open(file)) {
            JsonNode total = reader.cost(CostReport.CostBy.MODEL).path("total");

            assertThat(total.path("cost_usd").asDouble(-1)).isEqualTo(0.5);
            assertThat(total.path("unknown_calls").asLong()).isZero();
        }
    }

    @Test
    void withoutCallsNothingWasSpent() {
        Path file = directory.resolve("session.db");
        SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK).close();

        try (SessionReader reader = SessionReader.open(file)) {
            JsonNode report = reader.cost(CostReport.CostBy.MODEL);

            assertThat(report.path("rows").isEmpty()).isTrue();
            assertThat(report.path("total").path("calls").asLong()).isZero();
            assertThat(report.path("total").path("cost_usd").asDouble(-1)).isZero();
        }
    }
}
