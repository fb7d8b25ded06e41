package dev.capsem.telemetry.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.read.SessionReader;
import dev.capsem.telemetry.write.SessionWriter;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class TimelineTest {
    @TempDir
    Path directory;

    private Path file;

    /// One turn of an agent: it reads, edits and runs a test, and keeps its own state all the while.
    @BeforeEach
    void record() throws SQLException {
        file = directory.resolve("session.db");
        SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK).close();
        insert("INSERT INTO model_calls (id, timestamp, provider, model, method, path, status_code, input_tokens,"
                + " output_tokens, estimated_cost_usd, trace_id) VALUES"
                + " (1, '2026-03-01T10:00:01Z', 'anthropic', 'opus', 'POST', '/', 200, 1200, 80, 0.0123, 't1'),"
                + " (2, '2026-03-01T10:00:03Z', 'anthropic', 'moon', 'POST', '/', 200, 5, 6, NULL, 't1'),"
                + " (3, '2026-03-01T10:00:04Z', 'anthropic', 'opus', 'POST', '/', 529, NULL, NULL, NULL, 't1')");
        insert("INSERT INTO tool_calls (model_call_id, call_index, call_id, tool_name, arguments, trace_id) VALUES"
                + " (1, 0, 'a', 'Read', '{\"limit\":5,\"file_path\":\"/root/proj/app.py\"}', 't1'),"
                + " (1, 1, 'b', 'shell', '{\"command\":[\"bash\",\"-lc\",\"python3\\ntest.py\"]}', 't1'),"
                + " (2, 0, 'c', 'Write', '{\"file_path\":\"/root/proj/new.py\",\"content\":\"cut off h', 't1'),"
                + " (2, 1, 'd', 'TodoWrite', '{}', 't1')");
        insert("INSERT INTO tool_responses (model_call_id, call_id, is_error) VALUES (2, 'a', 0), (2, 'b', 1)");
        insert("INSERT INTO fs_events (timestamp, action, path) VALUES"
                + " ('2026-03-01T10:00:02Z', 'modified', '/root/proj/app.py'),"
                + " ('2026-03-01T10:00:02Z', 'created', '/root/.claude/todos/1.json'),"
                + " ('2026-03-01T10:00:02Z', 'modified', '/root/.claude.json'),"
                + " ('2026-03-01T10:00:05Z', 'modified', '/root/x/state.sqlite-wal'),"
                + " ('2026-03-01T10:00:05Z', 'created', '/root/proj/app.py.tmp'),"
                + " ('2026-03-01T10:00:05Z', 'deleted', '/root/proj/app.py.tmp'),"
                + " ('2026-03-01T10:00:05Z', 'created', '/root/proj/.claude/settings.json')");
    }

    private void insert(String sql) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private List<String> summaries(boolean folds, int limit) {
        return summaries(EnumSet.of(Timeline.Layer.FS, Timeline.Layer.MODEL, Timeline.Layer.TOOL), folds, limit);
    }

    private List<String> summaries(EnumSet<Timeline.Layer> layers, boolean folds, int limit) {
        try (SessionReader reader = SessionReader.open(file)) {
            JsonNode rows = reader.timeline(new Timeline.Query(layers, "", "", Optional.empty(), limit, folds))
                    .path("rows");
            return rows.valueStream()
                    .map(row -> row.path(1).asString() + ": " + row.path(3).asString() + " ["
                            + row.path(4).asString("") + "]")
                    .toList();
        }
    }

    @Test
    void showsWhatTheAgentDidAndWhatItCost() {
        assertThat(summaries(true, 100))
                .containsExactly(
                        "model: anthropic/opus 1200→80 tok $0.0123 [200]",
                        "tool: Read /root/proj/app.py [done]",
                        "tool: shell bash -lc python3 test.py [error]",
                        "fs: modified /root/proj/app.py []",
                        "model: anthropic/moon 5→6 tok $? [200]",
                        "tool: Write /root/proj/new.py []",
                        "tool: TodoWrite []",
                        "model: anthropic/opus [529]",
                        "fs: 5 changes of agents' own and temporary files:"
                                + " .claude,.claude.json,journals,short-lived files []",
                        "fs: created /root/proj/.claude/settings.json []");
    }

    /// A page that begins where the one after it ends misses no row.
    @Test
    void pagesGoBackToTheBeginning() {
        List<String> whole = new ArrayList<>();
        List<String> paged = new ArrayList<>();
        try (SessionReader reader = SessionReader.open(file)) {
            EnumSet<Timeline.Layer> layers = EnumSet.of(Timeline.Layer.FS, Timeline.Layer.MODEL, Timeline.Layer.TOOL);
            page(reader, layers, "", 100).forEach(row -> whole.add(row.path(2).asString()));
            String until = "";
            for (int pages = 0; pages < 100; pages++) {
                JsonNode rows = page(reader, layers, until, 5);
                List<String> fresh = rows.valueStream()
                        .map(row -> row.path(2).asString())
                        .filter(ref -> !paged.contains(ref))
                        .toList();
                if (fresh.isEmpty()) {
                    break;
                }
                paged.addAll(0, fresh);
                until = rows.path(0).path(0).asString();
            }
        }

        assertThat(paged).isEqualTo(whole).hasSizeGreaterThan(8);
    }

    private static JsonNode page(SessionReader reader, EnumSet<Timeline.Layer> layers, String until, int limit) {
        return reader.timeline(new Timeline.Query(layers, "", until, Optional.empty(), limit, false))
                .path("rows");
    }

    @Test
    void foldsOnlyIfAsked() {
        assertThat(summaries(false, 100))
                .contains("fs: created /root/.claude/todos/1.json []", "fs: deleted /root/proj/app.py.tmp []")
                .noneMatch(line -> line.contains("agents' own"));
    }

    @Test
    void foldedFilesLeaveRoomForTheOthers() {
        assertThat(summaries(true, 3))
                .contains("model: anthropic/opus [529]", "fs: created /root/proj/.claude/settings.json []");
    }

    @Test
    void showsWhereCredentialsWent() throws SQLException {
        insert("INSERT INTO grant_uses (timestamp, event_id, grant_name, place, host, use_count) VALUES"
                + " ('2026-03-01T10:00:06Z', 'e', 'anthropic', 'header:x-api-key', 'api.example.com', 1)");

        assertThat(grants()).containsExactly("grant: anthropic in header:x-api-key to api.example.com [1×]");
    }

    @Test
    void aRecordFromBeforeGrantsHasNone() throws SQLException {
        insert("DROP TABLE grant_uses");

        assertThat(grants()).isEmpty();
    }

    private List<String> grants() {
        return summaries(EnumSet.of(Timeline.Layer.GRANT), false, 10);
    }
}
