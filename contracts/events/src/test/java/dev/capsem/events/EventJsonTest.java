package dev.capsem.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.FsRow;
import dev.capsem.events.row.Projection;
import dev.capsem.events.row.Step;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.events.vocabulary.TraceId;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class EventJsonTest {
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private static ResolvedEvent event(FinalAction action, List<Finding> findings) {
        return new ResolvedEvent(
                new EventId("ev-1"),
                NOW,
                EventType.PROCESS_EXEC,
                Judgement.decided(SourceEngine.PROCESS, action),
                Attribution.UNKNOWN,
                Correlation.NONE.withTrace(new TraceId("t1")).withExec(4),
                ProcessFacts.NONE,
                0,
                0,
                List.of(new Step(
                        StepKind.ENFORCEMENT_MATCH,
                        StepStatus.MATCHED,
                        Optional.of("rule"),
                        Optional.empty(),
                        Optional.empty())),
                findings,
                List.of(),
                About.NOTHING);
    }

    @Test
    void showsColumnsUnderTheirOwnNamesAndLeavesAbsentOnesOut() {
        RecordedExchange exchange = RecordedExchange.of(
                event(
                        FinalAction.BLOCK,
                        List.of(new Finding(
                                "f-1",
                                "rule-2",
                                "pack",
                                Optional.empty(),
                                "Title",
                                Severity.LOW,
                                Confidence.HIGH,
                                List.of("tag")))),
                new ExecRow(NOW, 4, "ls \"x\"", ExecRow.Source.CLI, Optional.empty(), Caller.UNKNOWN));

        assertThat(EventJson.write(exchange)).isEqualTo("""
                {"event":{"event_id":"ev-1","timestamp":"2026-03-01T10:00:00.000000Z",\
                "timestamp_unix_ms":1772359200000,"event_family":"process","event_type":"process.exec",\
                "source_engine":"process","final_action":"block","enforceability":"inline_blockable",\
                "attribution_scope":"unknown","origin_kind":"unknown","trace_id":"t1","exec_id":4,\
                "redaction_state":"raw","label_count":0,"mutation_count":0,"finding_count":1,\
                "security_event_steps":[{"step_index":0,"kind":"enforcement_match","status":"matched",\
                "rule_id":"rule"}],"detection_findings":[{"finding_id":"f-1","rule_id":"rule-2","pack_id":"pack",\
                "title":"Title","severity":"low","confidence":"high",\
                "detection_finding_tags":[{"tag_index":0,"tag":"tag"}]}]},\
                "rows":[{"table":"exec_events","timestamp":"2026-03-01T10:00:00.000000Z","exec_id":4,\
                "command":"ls \\"x\\"","source":"cli"}]}""");
    }

    @Test
    void onlyWhatWasSeenInsideMayBeLost() {
        Finding finding = new Finding("f", "r", "p", Optional.empty(), "t", Severity.INFO, Confidence.LOW, List.of());

        assertThat(event(FinalAction.CONTINUE, List.of()).isObservation()).isFalse();
        assertThat(event(FinalAction.OBSERVE_ONLY, List.of()).isObservation()).isFalse();
        assertThat(seen(EventType.FILE_ACTIVITY).isObservation()).isTrue();
        assertThat(seen(EventType.PROCESS_AUDIT).isObservation()).isTrue();
        assertThat(seen(EventType.FILE_ACTIVITY).withFindings(List.of(finding)).isObservation())
                .isFalse();
        assertThat(seen(EventType.SANDBOX_STOP).isObservation()).isFalse();
    }

    private static ResolvedEvent seen(EventType type) {
        return ResolvedEvent.plain(
                new EventId("ev-1"),
                NOW,
                type,
                Judgement.observed(SourceEngine.FILE),
                Attribution.UNKNOWN,
                Correlation.NONE);
    }

    @Test
    void refusesMoreRowsThanABatchHolds() {
        Projection row = new FsRow(NOW, FsRow.Action.CREATED, "/x", OptionalLong.empty(), Optional.empty());

        assertThatThrownBy(() -> new RecordedExchange(
                        event(FinalAction.CONTINUE, List.of()),
                        Collections.nCopies(RecordedExchange.ROWS_MAX + 1, row)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
