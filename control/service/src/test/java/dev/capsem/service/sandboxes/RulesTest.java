package dev.capsem.service.sandboxes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.service.FakeHost;
import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.table.SandboxNames;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.service.ProvisionRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a caller may ask for: names, limits, environments, projects.
class RulesTest {
    private static void refused(ServiceProblem.Code code, ThrowingCallable asking) {
        assertThatThrownBy(asking).isInstanceOfSatisfying(ServiceProblem.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(code);
            assertThat(refusal.remedy()).isNotBlank();
        });
    }

    @Test
    void namesAreWordsOfLettersAndDigits() {
        for (String good : List.of("a", "7", "Lab_2-x", "x".repeat(64))) {
            assertThat(SandboxNames.check(good)).isEqualTo(new SandboxId(good));
        }
        for (String bad : List.of("", "-a", "_a", "a b", "a/b", "../x", "a.b", "ä", "a\n", "x".repeat(65))) {
            refused(ServiceProblem.Code.BAD_NAME, () -> SandboxNames.check(bad));
        }
    }

    @Test
    void inventedNamesBeginWithAWordNobodyElseHas() {
        List<String> existing = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            existing.add(SandboxNames.invent(new Random(i), existing).value());
        }

        assertThat(existing).allMatch(name -> name.matches("[a-z]+-[a-z]+-tmp"));
        assertThat(existing.stream().map(name -> name.split("-")[0])).doesNotHaveDuplicates();
    }

    @Test
    void namesNeverRunOutWhileThereIsRoom() {
        List<String> existing = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            existing.add(SandboxNames.invent(new Random(i), existing).value());
        }

        assertThat(existing).doesNotHaveDuplicates();
    }

    @Test
    void environmentNamesThatChangeWhatRunsAreRefused() {
        for (String name : List.of(
                "LD_PRELOAD",
                "LD_LIBRARY_PATH",
                "LD_",
                "BASH_FUNC_ls%%",
                "IFS",
                "BASH_ENV",
                "ENV",
                "CDPATH",
                "GLOBIGNORE",
                "SHELLOPTS",
                "BASHOPTS",
                "PROMPT_COMMAND",
                "PS4")) {
            refused(ServiceProblem.Code.BAD_ENVIRONMENT, () -> EnvironmentRules.check(Map.of(name, "x")));
        }
        for (String name : List.of("", "A=B", "1A", "A B", "A\0", "é")) {
            refused(ServiceProblem.Code.BAD_ENVIRONMENT, () -> EnvironmentRules.check(Map.of(name, "x")));
        }
        assertThat(EnvironmentRules.check(Map.of("PATH", "/bin", "LANG", "", "_x1", "y")))
                .hasSize(3);
    }

    @Test
    void environmentHasItsLimits() {
        Map<String, String> many = new HashMap<>();
        for (int i = 0; i < EnvironmentRules.VARIABLES_MAX; i++) {
            many.put("V" + i, "x");
        }

        assertThat(EnvironmentRules.check(many)).isEqualTo(many);
        many.put("ONE_MORE", "x");
        refused(ServiceProblem.Code.BAD_ENVIRONMENT, () -> EnvironmentRules.check(many));
        String longest = "N".repeat(EnvironmentRules.NAME_BYTES_MAX);
        assertThat(EnvironmentRules.check(Map.of(longest, "x"))).hasSize(1);
        refused(ServiceProblem.Code.BAD_ENVIRONMENT, () -> EnvironmentRules.check(Map.of(longest + "N", "x")));
        String value = "v".repeat(EnvironmentRules.VALUE_BYTES_MAX);
        assertThat(EnvironmentRules.check(Map.of("A", value))).hasSize(1);
        refused(ServiceProblem.Code.BAD_ENVIRONMENT, () -> EnvironmentRules.check(Map.of("A", value + "v")));
        refused(ServiceProblem.Code.BAD_ENVIRONMENT, () -> EnvironmentRules.check(Map.of("A", "a\0b")));
    }

    @Test
    void limitsAreThoseOfTheSpecification(@TempDir Path home) {
        ProvisionRules rules = new ProvisionRules(ServiceSettings.forHost(1_000), home);
        EffectiveProfile profile = profile(home);

        assertThat(rules.limits(Optional.empty(), Optional.empty(), profile))
                .isEqualTo(new SandboxSpec.Limits(2_048, 2, SandboxSpec.Limits.PIDS_MAX_DEFAULT));
        assertThat(rules.limits(Optional.of(256), Optional.of(8), profile).cpus())
                .isEqualTo(8);
        for (int bad : List.of(-1, 0, 255, 16_385)) {
            refused(ServiceProblem.Code.BAD_LIMIT, () -> rules.limits(Optional.of(bad), Optional.empty(), profile));
        }
        for (int bad : List.of(-1, 0, 9)) {
            refused(ServiceProblem.Code.BAD_LIMIT, () -> rules.limits(Optional.empty(), Optional.of(bad), profile));
        }
    }

    private static EffectiveProfile profile(Path home) {
        return new FakeHost(home).policy().profiles().required(Optional.empty()).profile();
    }

    @Test
    void theProfileGivesWhatTheCallerDoesNotSay(@TempDir Path home) throws IOException {
        ProvisionRules rules = new ProvisionRules(ServiceSettings.forHost(1_000), home);
        Files.createDirectories(home.resolve("profiles"));
        Files.writeString(
                home.resolve("profiles/coding.toml"),
                "schema = \"capsem.profile.v2\"\nid = \"coding\"\n[vm]\nram_mb = 4096\ncpus = 4\n[vm.env]\nTEAM = \"blue\"\n");
        EffectiveProfile profile = profile(home);

        assertThat(rules.limits(Optional.empty(), Optional.of(3), profile))
                .isEqualTo(new SandboxSpec.Limits(4_096, 3, SandboxSpec.Limits.PIDS_MAX_DEFAULT));
        assertThat(rules.environment(Map.of("A", "1"), profile))
                .containsEntry("A", "1")
                .containsEntry("TEAM", "blue");
        assertThat(rules.environment(Map.of("TEAM", "red"), profile)).containsEntry("TEAM", "red");
    }

    @Test
    void aProjectIsADirectoryThatDoesNotHoldUs(@TempDir Path root) throws IOException {
        Path home = Files.createDirectories(root.resolve("home/.capsem"));
        Path app = Files.createDirectory(root.resolve("app"));
        Files.createSymbolicLink(root.resolve("link"), app);
        Files.createFile(root.resolve("file"));
        ProvisionRules rules = new ProvisionRules(ServiceSettings.forHost(1_000), home);

        assertThat(rules.project(mount(root.resolve("link"))).orElseThrow().source())
                .isEqualTo(app);
        assertThat(rules.project(mount(app)).orElseThrow().name()).isEqualTo("app");
        assertThat(rules.project(Optional.empty())).isEmpty();
        for (Path bad : List.of(
                root.resolve("file"),
                root.resolve("none"),
                root,
                home,
                home.resolve("run"),
                Path.of("/"),
                Path.of("app"))) {
            refused(ServiceProblem.Code.BAD_PROJECT, () -> rules.project(mount(bad)));
        }
    }

    private static Optional<ProvisionRequest.ProjectMount> mount(Path path) {
        return Optional.of(new ProvisionRequest.ProjectMount(path.toString(), false));
    }

    @Test
    void everyHostTakesAtLeastThirtyTwo() {
        assertThat(ServiceSettings.forHost(512).sandboxesMax()).isEqualTo(32);
        assertThat(ServiceSettings.forHost(65_536).sandboxesMax()).isGreaterThan(200);
    }
}
