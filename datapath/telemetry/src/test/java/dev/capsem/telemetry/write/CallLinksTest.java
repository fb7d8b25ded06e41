package dev.capsem.telemetry.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.Projection;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallLinksTest {
    private static final String LINKED = "SELECT t.mcp_call_id - m.id, e.link_status, c.status,"
            + " e.linked_model_interaction_id = c.interaction_id, e.interaction_id = c.interaction_id"
            + " FROM tool_calls t, mcp_calls m, ai_mcp_execution_evidence e, ai_model_tool_calls c"
            + " WHERE t.model_call_id = (SELECT model_call_id FROM ai_model_interactions i"
            + " WHERE i.interaction_id = c.interaction_id) AND m.id = e.id AND e.id = c.id ORDER BY m.id";

    @TempDir
    Path directory;

    private final Samples samples = new Samples();

    private RecordedExchange only(EventType type, Class<?>... kinds) {
        List<Projection> rows = samples.full().rows().stream()
                .filter(row -> List.of(kinds).contains(row.getClass()))
                .toList();
        return new RecordedExchange(samples.event(type, SourceEngine.NETWORK, FinalAction.CONTINUE), rows);
    }

    private RecordedExchange asked() {
        return only(EventType.MODEL_RESPONSE, ModelRow.class);
    }

    private RecordedExchange executed() {
        return only(EventType.MCP_RESPONSE, McpRow.class, McpExecutionEvidence.class);
    }

    private List<List<String>> written(RecordedExchange... exchanges) throws SQLException {
        Path file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            for (RecordedExchange exchange : exchanges) {
                writer.recordOrWait(exchange);
            }
        }
        assertThat(ChainVerifier.verify(file)).isInstanceOf(Verification.Intact.class);
        try (Connection connection = Databases.forReading(file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(LINKED)) {
            List<List<String>> found = new ArrayList<>();
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= 5; i++) {
                    row.add(String.valueOf(rows.getString(i)));
                }
                found.add(row);
            }
            return found;
        }
    }

    @Test
    void linksACallToWhatAModelAskedFor() throws SQLException {
        assertThat(written(asked(), executed())).containsExactly(List.of("0", "linked", "error", "1", "1"));
    }

    /// A client may call as soon as it has read the arguments.
    @Test
    void linksACallThatWasOverBeforeTheReplyThatAskedForIt() throws SQLException {
        assertThat(written(executed(), asked())).containsExactly(List.of("0", "linked", "error", "1", "1"));
    }

    /// Gemini's calls have no ids: those that we make are the same in every turn, as are a client's JSON-RPC ids.
    @Test
    void tellsTurnsWithTheSameIdsApart() throws SQLException {
        assertThat(written(asked(), executed(), executed(), asked()))
                .containsExactly(List.of("0", "linked", "error", "1", "1"), List.of("0", "linked", "error", "1", "1"));
    }

    @Test
    void leavesOpenWhatNobodyAnswered() throws SQLException {
        assertThat(written(asked(), executed(), executed())).containsExactly(List.of("0", "linked", "error", "1", "1"));
    }
}
