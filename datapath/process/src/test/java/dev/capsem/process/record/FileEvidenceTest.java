package dev.capsem.process.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.FsRow;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.process.rules.Rules;
import dev.capsem.security.SecurityEngine;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class FileEvidenceTest {
    private static final String RULES = """
            [security.rules.file.keys]
            on = "file.activity"
            if = 'file.activity.path.startsWith("/root/.ssh/")'
            decision = "block"

            [security.rules.file.rest]
            on = "file.activity"
            if = "true"
            decision = "allow"
            priority = 1000
            """;

    private final RecordedEvents events = new RecordedEvents();

    @Test
    void whatARuleWouldNotAllowGetsItsOwnEventAndIsNotEnforced() {
        evidence(Rules.engine(RULES)).changed(Recorders.CLOCK.instant(), List.of(row("/root/a"), row("/root/.ssh/id")));

        assertThat(events.all()).hasSize(2);
        assertThat(events.all().getFirst()).satisfies(exchange -> {
            assertThat(exchange.rows()).containsExactly(row("/root/.ssh/id"));
            assertThat(exchange.event().judgement().finalAction()).isEqualTo(FinalAction.OBSERVE_ONLY);
            assertThat(exchange.event().steps()).singleElement().satisfies(step -> {
                assertThat(step.ruleId()).contains("security.rules.file.keys");
                assertThat(step.message()).contains("block");
            });
        });
        assertThat(events.all().getLast()).satisfies(exchange -> {
            assertThat(exchange.rows()).containsExactly(row("/root/a"));
            assertThat(exchange.event().steps()).isEmpty();
        });
    }

    @Test
    void changesAreOnRecordWithoutRulesToo() {
        evidence(new SecurityEngine()).changed(Recorders.CLOCK.instant(), List.of(row("/root/a"), row("/root/b")));

        assertThat(events.all())
                .singleElement()
                .satisfies(exchange -> assertThat(exchange.rows()).hasSize(2));
    }

    private FileEvidence evidence(SecurityEngine engine) {
        return new FileEvidence(Recorders.into(events), engine);
    }

    private static FsRow row(String path) {
        return new FsRow(Recorders.CLOCK.instant(), FsRow.Action.CREATED, path, OptionalLong.of(1), Optional.empty());
    }
}
