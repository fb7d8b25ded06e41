package dev.capsem.process.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.Admission.Place;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.Judge.Ruling;
import dev.capsem.process.record.RecordedEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.Recorders;
import dev.capsem.process.rules.Rules;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.io.TaskScope;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class ReloadUnderTrafficTest {
    private static final int RELOADS = 50;
    private static final int COMMANDS = 2_000;
    private static final int THREADS = 4;
    /// They begin just before a reload, and go on while it happens.
    private static final int COMMANDS_PER_RELOAD = COMMANDS / RELOADS;

    @TempDir
    private Path directory;

    private final SessionRules rules = new SessionRules();
    private final ConfigurationInForce configuration = new ConfigurationInForce(rules, _ -> Optional.empty());
    private final RecordedEvents events = new RecordedEvents();
    private final Recorder recorder = Recorders.into(events, configuration::now);
    private final Semaphore allowance = new Semaphore(0);

    /// The rule that decides under a revision.
    private final Map<String, Integer> versions = new HashMap<>();

    /// The profile changes between two steps of a command, too; whatever happens, its row names the rules that decided.
    @Test
    void everyRowNamesTheRevisionThatDecided() throws Exception {
        load(0);

        try (TaskScope scope = new TaskScope("commands", (thread, failure) -> {})) {
            List<Future<Integer>> running = IntStream.range(0, THREADS)
                    .mapToObj(thread -> scope.fork(this::judgeMany))
                    .toList();
            for (int version = 1; version <= RELOADS; version++) {
                allowance.release(COMMANDS_PER_RELOAD);
                load(version);
            }
            for (Future<Integer> one : running) {
                assertThat(one.get()).isEqualTo(COMMANDS / THREADS);
            }
        }

        Set<String> seen = new HashSet<>();
        assertThat(events.all()).hasSize(COMMANDS).allSatisfy(row -> {
            String revision = row.event().attribution().profileRevision().orElseThrow();
            int version = Optional.ofNullable(versions.get(revision)).orElseThrow();
            assertThat(decider(row)).isEqualTo(rule(version));
            assertThat(row.event().judgement().finalAction())
                    .isEqualTo(isBlocking(version) ? FinalAction.BLOCK : FinalAction.CONTINUE);
            seen.add(revision);
        });
        assertThat(seen).as("traffic met many revisions").hasSizeGreaterThan(RELOADS / 2);
    }

    private void load(int version) {
        String revision = Rules.write(
                directory, Rules.command(name(version), "true", isBlocking(version) ? "block" : "allow", 1000));
        versions.put(revision, version);
        configuration.load(directory);
    }

    private static boolean isBlocking(int version) {
        return version % 2 == 1;
    }

    private static String name(int version) {
        return "version_" + version;
    }

    private static String rule(int version) {
        return "security.rules.process." + name(version);
    }

    private int judgeMany() throws InterruptedException {
        for (int i = 0; i < COMMANDS / THREADS; i++) {
            allowance.acquire();
            ProcessExec command =
                    recorder.command("make", List.of(), Optional.empty(), recorder.traceId(Optional.empty()));
            Ruling ruling = new Judge(rules.engine()).judge(command);
            Evaluation evaluation = ((Ruling.Settled) ruling).evaluation();
            recorder.execBlocked(
                    new Recorder.ExecFacts(
                            new ExecId(i + 1),
                            command,
                            evaluation,
                            ExecRow.Source.CLI,
                            Recorders.CLOCK.instant(),
                            OptionalLong.empty()),
                    Place.BOUNDLESS);
        }
        return COMMANDS / THREADS;
    }

    private static String decider(RecordedExchange row) {
        return row.event().steps().stream()
                .map(Step::ruleId)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow();
    }
}
