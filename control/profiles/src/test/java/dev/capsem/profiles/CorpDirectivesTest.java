package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.file.Entry.RuleEntry;
import org.junit.jupiter.api.Test;

class CorpDirectivesTest {
    @Test
    void directivesAddReplaceRemoveLockAndForbid() {
        EffectiveProfile profile = new Layers()
                .builtIn(
                        "coding",
                        "[vm]\ncpus = 2\n" + Layers.rule("gone", "allow", 5) + Layers.rule("changed", "allow", 6)
                                + Layers.rule("kept", "ask", 7))
                .user(
                        "coding",
                        "[vm]\ncpus = 8\n" + Layers.rule("kept", "allow", 7)
                                + ProfileMergeTest.server("evil", "https://evil.example/"))
                .corp(
                        "acme",
                        Layers.directive("add", "vm.ram_mb", "value = 1024")
                                + Layers.directive("remove", "security.rules.http.gone", "")
                                + Layers.directive("replace", "security.rules.http.changed", ruleValue("block", -7))
                                + Layers.directive("lock", "vm.cpus", "value = 1\nreason = \"shared machines\"")
                                + Layers.directive("lock", "security.rules.http.kept", "")
                                + Layers.directive("forbid", "mcpServers.evil", ""))
                .resolve("coding");

        assertThat(profile.entries().keySet())
                .containsExactly("security.rules.http.changed", "security.rules.http.kept", "vm.cpus", "vm.ram_mb");
        assertThat(profile.cpus()).hasValue(1);
        assertThat(profile.ramMb()).hasValue(1024);
        assertThat(rule(profile, "changed").decision()).contains("block");
        assertThat(rule(profile, "kept").decision()).contains("ask");
        assertThat(profile.entry("vm.cpus").orElseThrow().provenance().reason()).contains("shared machines");
        assertThat(Layers.notices(profile))
                .contains("mcpServers.evil is not used: your company forbids it.")
                .anyMatch(notice -> notice.startsWith("security.rules.http.kept is not used: it is locked at builtin"));
    }

    @Test
    void aForbiddenNameStaysAwayForDetectedServersToo() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", "[import]\nmcp_servers = true\n")
                .corp("acme", Layers.directive("forbid", "mcpServers.slack", ""))
                .detected(Layers.detectedServers())
                .resolve("coding");

        assertThat(profile.entries().keySet()).contains("mcpServers.github").doesNotContain("mcpServers.slack");
    }

    @Test
    void directivesThatCannotBeMetRefuseTheProfile() {
        Layers layers = new Layers().builtIn("coding", "[vm]\ncpus = 2\n");

        assertThat(layers.corp("a", Layers.directive("remove", "vm.ram_mb", "")).refusal("coding"))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("vm.ram_mb is not there to remove in coding");
        assertThat(new Layers()
                        .builtIn("coding", "[vm]\ncpus = 2\n")
                        .corp("a", Layers.directive("add", "vm.cpus", "value = 1"))
                        .refusal("coding"))
                .hasSize(1)
                .first()
                .asString()
                .contains("is there already", "use replace");
        assertThat(new Layers()
                        .builtIn("coding", "[vm]\ncpus = 2\n")
                        .corp(
                                "a",
                                Layers.directive("lock", "vm.cpus", "value = 1")
                                        + Layers.directive("replace", "vm.cpus", "value = 3"))
                        .refusal("coding"))
                .containsExactly("vm.cpus was locked or forbidden by a directive before this one.");
    }

    @Test
    void directivesAreForTheProfilesTheyName() {
        Layers layers = new Layers()
                .builtIn("coding", "[vm]\ncpus = 2\n")
                .builtIn("other", "")
                .corp("a", Layers.directive("remove", "vm.cpus", "profiles = [\"coding\"]"));

        assertThat(layers.resolve("coding").cpus()).isEmpty();
        assertThat(layers.resolve("other").cpus()).isEmpty();
    }

    @Test
    void aCompanyCanSayWhichProfilesAreUsed() {
        Layers layers = new Layers()
                .builtIn("coding", "")
                .builtIn("observe", "")
                .corp("a", "allowed_profiles = [\"coding\"]\n");

        assertThat(layers.resolve("coding").entries()).isEmpty();
        assertThat(layers.refusal("observe"))
                .containsExactly("your company does not allow the profile observe; it allows coding.");
    }

    @Test
    void twoPayloadsMustNotDisagree() {
        assertThat(new Layers()
                        .builtIn("coding", "")
                        .corp("a", "[vm]\ncpus = 1\n")
                        .corp("b", "[vm]\ncpus = 2\n")
                        .refusal("coding"))
                .containsExactly("vm.cpus is already at corp/a.toml:5:1.");
    }

    @Test
    void theEngineNamesTheLinesOfADirectiveToo() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", Layers.rule("r", "allow", 1))
                .corp("acme", """
                        [[directives]]
                        operation = "replace"
                        path = "security.rules.http.r"
                        [directives.value]
                        on = "http.request"
                        if = 'http.request.hots == "x"'
                        decision = "block"
                        priority = -3
                        """)
                .resolve("coding");

        assertThat(Engine.problems(profile.ruleSources()))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("corp/acme.toml (directive at line 4):9:");
    }

    private static String ruleValue(String decision, int priority) {
        return "[directives.value]\non = \"http.request\"\nif = 'true'\ndecision = \"" + decision + "\"\npriority = "
                + priority;
    }

    private static RuleEntry rule(EffectiveProfile profile, String name) {
        return (RuleEntry)
                profile.entry("security.rules.http." + name).orElseThrow().entry();
    }
}
