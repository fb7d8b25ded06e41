package dev.capsem.process.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.Admission;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.wire.guest.ExecId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RecorderTest {
    @Test
    void anAuditThatIsOffIsAnEventWithTheReason() {
        RecordedEvents events = new RecordedEvents();

        Recorders.into(events).execAuditOff("Device or resource busy");

        assertThat(events.all()).singleElement().satisfies(exchange -> {
            assertThat(exchange.event().type()).isEqualTo(EventType.PROCESS_AUDIT);
            assertThat(exchange.event().process().operation()).contains("exec_audit_off");
            assertThat(exchange.event().about().reason()).contains("Device or resource busy");
        });
    }

    @Test
    void aStopByALimitIsAnEventOfTheSandboxWithTheReason() {
        RecordedEvents events = new RecordedEvents();

        Recorders.into(events).stoppedByLimit("stopped: its files passed the quota of 64 MB");

        assertThat(events.all()).singleElement().satisfies(exchange -> {
            assertThat(exchange.event().type()).isEqualTo(EventType.SANDBOX_STOP);
            assertThat(exchange.event().isLifecycle()).isTrue();
            assertThat(exchange.event().process().operation()).contains("stopped_by_limit");
            assertThat(exchange.event().about().reason()).contains("stopped: its files passed the quota of 64 MB");
        });
    }

    /// Somebody was asked for a minute and a half, and said no.
    @Test
    void aRefusedCommandHasItsTrueDurationItsSubjectAndTheReason() {
        RecordedEvents events = new RecordedEvents();
        Recorder recorder = Recorders.into(events);
        ProcessExec command = recorder.command(
                "curl --token s3cret https://example.org", List.of(), Optional.empty(), new TraceId("t1"));
        Evaluation asked = new Evaluation(
                new Evaluation.Asked(),
                Optional.of(RuleId.of("process", "ask")),
                Optional.of("the network"),
                List.of(),
                List.of());
        Evaluation denied = asked.answered(new Answer.Refused(Answer.Cause.DENIED, "denied by kim", "kim"));

        recorder.execBlocked(
                new Recorder.ExecFacts(
                        new ExecId(7),
                        command,
                        denied,
                        ExecRow.Source.API,
                        command.envelope().at().plusSeconds(90),
                        OptionalLong.empty()),
                Admission.Place.BOUNDLESS);

        assertThat(events.rows(ExecCompletion.class))
                .singleElement()
                .satisfies(row -> assertThat(row.duration()).isEqualTo(Duration.ofSeconds(90)));
        assertThat(events.all().getFirst().event().about().subject()).contains("curl");
        assertThat(events.all().getFirst().event().about().reason()).contains("denied by kim");
    }
}
