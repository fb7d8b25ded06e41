package dev.capsem.telemetry.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.Step;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import dev.capsem.telemetry.read.SessionReader.HistoryQuery;
import dev.capsem.telemetry.read.SessionReader.Layer;
import dev.capsem.telemetry.write.SessionWriter;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.HistoryReply;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class SessionReaderTest {
    @TempDir
    Path directory;

    private final Samples samples = new Samples();

    private SessionReader record() {
        Path file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            for (int i = 1; i <= 5; i++) {
                writer.note(samples.exec(i));
            }
            writer.note(samples.execEnd(2, 7));
            writer.recordOrWait(samples.full());
            writer.recordOrWait(samples.net(FinalAction.BLOCK));
        }
        return SessionReader.open(file);
    }

    @Test
    void aRequestIsFoundWithTheAddressItWasJudgedBy() {
        Path file = directory.resolve("session.db");
        RecordedExchange blocked = samples.net(FinalAction.BLOCK);
        List<Step> steps = new ArrayList<>(blocked.event().steps());
        steps.addFirst(Step.ledTo("10.0.0.5"));
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(new RecordedExchange(blocked.event().withSteps(steps), blocked.rows()));
        }

        try (SessionReader reader = SessionReader.open(file)) {
            assertThat(reader.newestHeld(List.of()).orElseThrow().address()).contains("10.0.0.5");
        }
        try (SessionReader reader = record()) {
            assertThat(reader.newestHeld(List.of()).orElseThrow().address()).isEmpty();
        }
    }

    @Test
    void whatNobodyMissesIsNotTheNewestThatWasHeld() {
        Path file = directory.resolve("session.db");
        RecordedExchange missed = samples.net(FinalAction.BLOCK);
        RecordedExchange quiet = samples.net(FinalAction.BLOCK);
        Step step = new Step(
                StepKind.ENFORCEMENT_MATCH,
                StepStatus.MATCHED,
                Optional.of("security.rules.http.telemetry"),
                Optional.empty(),
                Optional.empty());
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(missed);
            writer.recordOrWait(new RecordedExchange(quiet.event().withSteps(List.of(step)), quiet.rows()));
        }

        try (SessionReader reader = SessionReader.open(file)) {
            List<String> rules = List.of("security.rules.http.telemetry");
            assertThat(reader.newestHeld(rules).orElseThrow().eventId())
                    .isEqualTo(missed.event().id().value());
            assertThat(reader.newestHeld(List.of()).orElseThrow().eventId())
                    .isEqualTo(quiet.event().id().value());
            assertThat(reader.newestHeld(List.of("security.rules.http.telemetry", "security.rules.http.sample"))
                            .orElseThrow()
                            .eventId())
                    .as("better than nothing")
                    .isEqualTo(quiet.event().id().value());
        }
    }

    @Test
    void pagesThroughHistory() {
        try (SessionReader reader = record()) {
            HistoryReply first = reader.history(new HistoryQuery(Layer.EXEC, "", 4, 0, false));
            HistoryReply rest = reader.history(new HistoryQuery(Layer.EXEC, "", 4, 4, false));

            assertThat(first.total()).isEqualTo(6);
            assertThat(first.hasMore()).isTrue();
            assertThat(first.commands()).hasSize(4);
            assertThat(rest.commands()).extracting(HistoryReply.Entry::command).containsExactly("echo 2", "echo 1");
            assertThat(rest.hasMore()).isFalse();
        }
    }

    @Test
    void showsWhatBecameOfACommand() {
        try (SessionReader reader = record()) {
            HistoryReply.Entry ended = reader.history(new HistoryQuery(Layer.ALL, "ECHO 2", 10, 0, false))
                    .commands()
                    .getFirst();
            HistoryReply.Entry running = reader.history(new HistoryQuery(Layer.ALL, "echo 3", 10, 0, false))
                    .commands()
                    .getFirst();

            assertThat(ended.exitCode()).contains(7);
            assertThat(ended.durationMs()).contains(12L);
            assertThat(ended.stdoutPreview()).isEqualTo("out 2");
            assertThat(ended.timestamp()).isEqualTo("2026-03-01T10:00:00.123456Z");
            assertThat(ended.details().get("source").asString()).isEqualTo("api");
            assertThat(running.exitCode()).isEmpty();
        }
    }

    @Test
    void takesSearchTextLiterally() {
        try (SessionReader reader = record()) {
            assertThat(reader.history(new HistoryQuery(Layer.ALL, "%", 10, 0, false))
                            .total())
                    .isZero();
            assertThat(reader.history(new HistoryQuery(Layer.ALL, "echo_1", 10, 0, false))
                            .total())
                    .isZero();
            assertThat(reader.history(new HistoryQuery(Layer.ALL, "\\", 10, 0, false))
                            .total())
                    .isZero();
        }
    }

    @Test
    void tellsTheLayersApart() {
        try (SessionReader reader = record()) {
            assertThat(reader.history(new HistoryQuery(Layer.AUDIT, "", 10, 0, false))
                            .commands())
                    .extracting(HistoryReply.Entry::command)
                    .containsExactly("sh -c true");
            assertThat(reader.history(new HistoryQuery(Layer.ALL, "", 10, 0, false))
                            .total())
                    .isEqualTo(7);
            assertThat(Json.text(reader.counts())).isEqualTo("{\"exec_count\":6,\"audit_count\":1}");
            assertThat(Json.text(reader.processes()))
                    .isEqualTo("{\"processes\":[{\"exe\":\"/bin/sh\",\"command_count\":1,"
                            + "\"first_seen\":\"2026-03-01T10:00:00.123456Z\","
                            + "\"last_seen\":\"2026-03-01T10:00:00.123456Z\"}]}");
        }
    }

    @Test
    void foldsLikeProcessesOfACommandAndLeavesOutItsOwn() {
        Path file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.note(samples.exec(7));
            writer.note(samples.programs(7, 70, "sh -c make", "make", "cc a.c", "cc a.c", "cc b.c"));
            writer.note(samples.programs(99, 71, "daemon"));
        }
        try (SessionReader reader = SessionReader.open(file)) {
            List<HistoryReply.Entry> folded =
                    reader.history(new HistoryQuery(Layer.ALL, "", 10, 0, true)).commands();
            List<HistoryReply.Entry> every = reader.history(new HistoryQuery(Layer.AUDIT, "", 10, 0, false))
                    .commands();

            assertThat(folded)
                    .extracting(HistoryReply.Entry::command)
                    .containsExactlyInAnyOrder("echo 7", "make", "cc a.c", "cc b.c", "daemon");
            assertThat(folded)
                    .filteredOn(entry -> entry.command().equals("cc a.c"))
                    .singleElement()
                    .satisfies(entry -> {
                        assertThat(entry.details().path("count").asLong()).isEqualTo(2);
                        assertThat(entry.details().path("exec_event_id").asLong())
                                .isEqualTo(1);
                    });
            assertThat(folded)
                    .filteredOn(entry -> entry.command().equals("daemon"))
                    .allSatisfy(entry ->
                            assertThat(entry.details().has("exec_event_id")).isFalse());
            assertThat(every).hasSize(6);
        }
        assertThat(ChainVerifier.verify(file)).isInstanceOf(Verification.Intact.class);
    }

    @Test
    void writesOneLogLinePerEventWithWhatItWasAbout() {
        try (SessionReader reader = record()) {
            List<String> lines = reader.securityLog().lines().toList();

            assertThat(lines).hasSize(8);
            JsonNode block = Json.parse(lines.getLast());
            assertThat(block.get("target").asString()).isEqualTo("security.event");
            JsonNode fields = block.get("fields");
            assertThat(fields.get("message").asString()).isEqualTo("resolved_security_event");
            assertThat(fields.get("final_action").asString()).isEqualTo("block");
            assertThat(fields.get("http_host").asString()).isEqualTo("api.example.com");
            assertThat(fields.get("rule_id").asString()).isEqualTo("security.rules.http.sample");
            assertThat(fields.get("reason").asString()).isEqualTo("a reason");
            assertThat(fields.has("mcp_call_id")).isFalse();
            JsonNode full = Json.parse(lines.get(6)).get("fields");
            assertThat(full.get("detection_rule_ids").get(0).asString()).isEqualTo("rule-2");
            assertThat(full.get("dns_qname").asString()).isEqualTo("example.com");
        }
    }

    @Test
    void cannotWrite() throws SQLException {
        try (SessionReader reader = record();
                Statement statement = reader.connection().createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM event_chain"))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void saysWhenThereIsNoDatabase() {
        assertThatThrownBy(() -> SessionReader.open(directory.resolve("none.db")))
                .isInstanceOfSatisfying(
                        TelemetryException.class,
                        e -> assertThat(e.code()).isEqualTo(TelemetryException.Code.OPEN_FAILED));
    }
}
