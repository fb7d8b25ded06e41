package dev.capsem.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.EventShapes;
import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.ModelInteraction;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.RowShape;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.Enforceability;
import dev.capsem.events.vocabulary.EventFamily;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.RedactionState;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import dev.capsem.telemetry.write.SessionWriter;
import dev.capsem.wire.service.InspectSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionSchemaTest {
    /// Columns that rows do not bring along: the writer, or somebody later, finds them out.
    private static final Map<String, Set<String>> FOUND_OUT_LATER = Map.of(
            "tool_calls", Set.of("mcp_call_id"),
            "exec_events", Set.of("mcp_call_id"),
            "snapshot_events", Set.of("start_fs_event_id", "stop_fs_event_id"));

    private static final Map<String, WireNamed[]> CHECKED = Map.ofEntries(
            Map.entry("security_events.event_family", EventFamily.values()),
            Map.entry("security_events.source_engine", SourceEngine.values()),
            Map.entry("security_events.final_action", FinalAction.values()),
            Map.entry("security_events.enforceability", Enforceability.values()),
            Map.entry("security_events.attribution_scope", AttributionScope.values()),
            Map.entry("security_events.origin_kind", OriginKind.values()),
            Map.entry("security_events.redaction_state", RedactionState.values()),
            Map.entry("security_event_steps.kind", StepKind.values()),
            Map.entry("security_event_steps.status", StepStatus.values()),
            Map.entry("detection_findings.severity", Severity.values()),
            Map.entry("detection_findings.confidence", Confidence.values()),
            Map.entry("tool_calls.origin", ModelRow.ToolOrigin.values()),
            Map.entry("ai_model_interactions.attribution_scope", AttributionScope.values()),
            Map.entry("ai_model_interactions.source_engine", SourceEngine.values()),
            Map.entry("ai_model_interactions.origin_kind", OriginKind.values()),
            Map.entry("ai_model_interactions.provider", ModelInteraction.Provider.values()),
            Map.entry("ai_model_interactions.api_family", ModelInteraction.ApiFamily.values()),
            Map.entry("ai_model_interactions.parse_status", ModelInteraction.ParseStatus.values()),
            Map.entry("ai_model_interactions.evidence_status", ModelInteraction.EvidenceStatus.values()),
            Map.entry("ai_usage_details.scope", ModelInteraction.UsageDetail.Scope.values()),
            Map.entry("ai_content_blocks.kind", ModelInteraction.ContentKind.values()),
            Map.entry("ai_model_tool_calls.arguments_status", ModelInteraction.ArgumentsStatus.values()),
            Map.entry("ai_model_tool_calls.origin", ModelInteraction.ToolOrigin.values()),
            Map.entry("ai_model_tool_calls.status", ModelInteraction.CallStatus.values()),
            Map.entry("ai_model_tool_results.content_kind", ModelInteraction.ContentKind.values()),
            Map.entry("ai_model_tool_results.result_status", ModelInteraction.CallStatus.values()),
            Map.entry("ai_mcp_execution_evidence.result_kind", ModelInteraction.ContentKind.values()),
            Map.entry("ai_mcp_execution_evidence.link_status", McpExecutionEvidence.LinkStatus.values()));

    @TempDir
    Path directory;

    private final SchemaDocument document = SchemaDocument.parse(SessionSchema.sql());

    @Test
    void everyColumnIsFilledBySomeRow() {
        assertThat(document.tables()).hasSize(24);
        for (SchemaDocument.Table table : document.tables()) {
            Set<String> filled = new TreeSet<>(FOUND_OUT_LATER.getOrDefault(table.name(), Set.of()));
            for (RowShape shape : EventShapes.ALL) {
                if (shape.table().equals(table.name())) {
                    filled.addAll(shape.columns());
                    shape.parentColumn().ifPresent(filled::add);
                }
            }
            if (List.of("event_chain", "session_identity").contains(table.name())) {
                continue; // The writer's own.
            }
            filled.add("id");

            assertThat(filled).as(table.name()).containsExactlyInAnyOrderElementsOf(table.columnNames());
        }
    }

    @Test
    void checksHoldExactlyTheNamesOfTheVocabulary() {
        for (SchemaDocument.Table table : document.tables()) {
            for (SchemaDocument.Column column : table.columns()) {
                WireNamed[] names = CHECKED.get(table.name() + "." + column.name());
                if (names != null) {
                    assertThat(column.values())
                            .as(table.name() + "." + column.name())
                            .containsExactlyElementsOf(Arrays.stream(names)
                                    .map(WireNamed::wireName)
                                    .toList());
                } else if (!table.name().equals("event_chain")) {
                    assertThat(column.values())
                            .as(table.name() + "." + column.name())
                            .isEmpty();
                }
            }
        }
    }

    @Test
    void checksRefuseAnyOtherName() throws SQLException {
        Path file = directory.resolve("session.db");
        SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK).close();
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(new Samples().full());
        }

        try (Connection connection = Databases.forWriting(file);
                Statement statement = connection.createStatement()) {
            for (String checked : CHECKED.keySet()) {
                String[] name = checked.split("\\.");
                assertThatThrownBy(() -> statement.executeUpdate("UPDATE " + name[0] + " SET " + name[1] + " = 'none'"))
                        .as(checked)
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("CHECK");
            }
        }
    }

    @Test
    void leavesADatabaseOfItsVersionAlone() throws SQLException {
        Path file = directory.resolve("session.db");
        SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK).close();
        long before = schemaVersion(file);
        SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK).close();

        assertThat(schemaVersion(file)).isEqualTo(before);
    }

    /// SQLite counts every change of the schema here.
    private static long schemaVersion(Path file) throws SQLException {
        try (Connection connection = Databases.forReading(file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA schema_version")) {
            return row.getLong(1);
        }
    }

    @Test
    void refusesADatabaseOfALaterVersion() throws SQLException {
        Path file = directory.resolve("session.db");
        try (Connection connection = Databases.forWriting(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA user_version = 99");
        }

        assertThatThrownBy(() -> SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK))
                .isInstanceOfSatisfying(
                        TelemetryException.class,
                        e -> assertThat(e.code()).isEqualTo(TelemetryException.Code.UNSUPPORTED_SCHEMA));
    }

    @Test
    void referencePageIsUpToDate() throws IOException {
        Path page = Path.of("../../docs/reference/session-db.md");
        String expected = document.markdown();
        if (System.getProperty("golden.update") != null) {
            Files.writeString(page, expected);
        }

        assertThat(Files.readString(page)).isEqualTo(expected);
    }

    @Test
    void aDatabaseFromBeforeGetsTheColumnsItLacks() throws SQLException {
        Path file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(new Samples().net(FinalAction.BLOCK));
        }
        try (Connection connection = Databases.forWriting(file);
                Statement statement = connection.createStatement()) {
            for (RowShape shape : EventShapes.ALL) {
                for (String column : shape.added()) {
                    statement.executeUpdate("ALTER TABLE " + shape.table() + " DROP COLUMN " + column);
                }
            }
        }

        assertThat(ChainVerifier.verify(file)).isInstanceOf(Verification.Intact.class);
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(new Samples(Samples.CLOCK, new java.util.Random(8)).net(FinalAction.BLOCK));
        }
        assertThat(ChainVerifier.verify(file))
                .isInstanceOfSatisfying(
                        Verification.Intact.class,
                        intact -> assertThat(intact.events()).isEqualTo(2));
    }

    @Test
    void aDatabaseFromBeforeGetsTheTablesItLacks() throws SQLException {
        Path file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(new Samples().net(FinalAction.BLOCK));
        }
        try (Connection connection = Databases.forWriting(file);
                Statement statement = connection.createStatement()) {
            for (String table : SessionSchema.ADDED_TABLES) {
                statement.executeUpdate("DROP TABLE " + table);
            }
        }

        assertThat(ChainVerifier.verify(file)).isInstanceOf(Verification.Intact.class);
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(new Samples(Samples.CLOCK, new java.util.Random(8)).full());
        }
        assertThat(ChainVerifier.verify(file))
                .isInstanceOfSatisfying(
                        Verification.Intact.class,
                        intact -> assertThat(intact.events()).isEqualTo(2));
    }

    @Test
    void aTableThatIsGoneWithItsRowsBreaksTheChain() throws SQLException {
        Path file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(new Samples().full());
        }
        try (Connection connection = Databases.forWriting(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DROP TABLE grant_uses");
        }

        assertThat(ChainVerifier.verify(file)).isInstanceOf(Verification.Broken.class);
    }

    /// The list with which `inspect --schema` begins; `-Dgolden.update` rewrites it.
    @Test
    void inspectKnowsWhatEachTableHolds() throws IOException {
        String lines = document.tables().stream()
                .sorted(Comparator.comparing(SchemaDocument.Table::name))
                .map(table -> table.name() + "\t" + table.purpose() + "\n")
                .collect(Collectors.joining());
        if (System.getProperty("golden.update") != null) {
            Files.writeString(
                    Path.of("../../contracts/wire/src/main/resources/dev/capsem/wire/service/inspect-tables.txt"),
                    lines);
            return;
        }

        assertThat(InspectSchema.tables()).isEqualTo(lines);
    }

    /// What `inspect` tells its callers; `-Dgolden.update` rewrites it.
    @Test
    void inspectKnowsTheTablesOfAFreshDatabase() throws IOException, SQLException {
        Path file = directory.resolve("session.db");
        StringBuilder tables = new StringBuilder();
        try (SessionWriter _ = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK);
                Connection connection = Databases.forReading(file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")) {
            while (rows.next()) {
                tables.append(rows.getString(1)).append(";\n");
            }
        }
        if (System.getProperty("golden.update") != null) {
            Files.writeString(
                    Path.of("../../contracts/wire/src/main/resources/dev/capsem/wire/service/inspect-schema.sql"),
                    tables);
            return;
        }

        assertThat(InspectSchema.sql()).isEqualTo(tables.toString());
    }
}
