package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.file.Entry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProfileMergeTest {
    @Test
    void corpBeatsUserBeatsDetected() {
        Layers layers = new Layers()
                .builtIn("coding", "[import]\nmcp_servers = true\n")
                .user("coding", server("github", "https://user.example/") + server("docs", "https://user.example/"))
                .corp("acme", server("docs", "https://corp.example/"))
                .detected(Layers.detectedServers());

        EffectiveProfile profile = layers.resolve("coding");

        assertThat(layerOf(profile, "mcpServers.docs")).isEqualTo(Layer.CORP);
        assertThat(layerOf(profile, "mcpServers.github")).isEqualTo(Layer.USER);
        assertThat(layerOf(profile, "mcpServers.slack")).isEqualTo(Layer.DETECTED);
        assertThat(profile.entry("mcpServers.docs").orElseThrow().provenance().locked())
                .isTrue();
        assertThat(Layers.notices(profile))
                .anyMatch(notice -> notice.startsWith("mcpServers.docs is not used: your company has it at corp/acme"))
                .anyMatch(notice -> notice.startsWith("mcpServers.github is not used: the name is taken at user"));
    }

    @Test
    void importsNothingWithoutPermissionAndSaysHowToGiveIt() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", "")
                .detected(Layers.detectedServers())
                .resolve("coding");

        assertThat(profile.servers()).isEmpty();
        assertThat(Layers.notices(profile))
                .containsExactly("2 MCP servers of your AI tools are not used: coding does not import them."
                        + " To import: [import] mcp_servers = true.");
    }

    @Test
    void networkSettingsComeFromTheMostTrustedLayer() {
        Layers layers = new Layers().builtIn("coding", "").user("coding", """
                        [network]
                        resolvers = ["192.0.2.1:53", "[2001:db8::1]:5353"]
                        upstream_proxy = "http://mine.example:3128"
                        upstream_proxy_credentials = "${secret:proxy}"
                        extra_ca = "/etc/ssl/mine.pem"
                        [network.client_certificates]
                        "api.example.com" = "/etc/ssl/me.pem"
                        "pay.example.com" = "${secret:pay}"
                        [ai.providers.openai]
                        base_url = "https://models.example/v1"
                        """).corp("acme", """
                        [[directives]]
                        operation = "lock"
                        path = "network.upstream_proxy"
                        value = "http://proxy.acme.example:8080"
                        [[directives]]
                        operation = "lock"
                        path = "network.resolvers"
                        value = ["192.0.2.53:53"]
                        [[directives]]
                        operation = "lock"
                        path = "network.client_certificates.pay.example.com"
                        value = "${secret:acme-pay}"
                        """);

        EffectiveProfile profile = layers.resolve("coding");

        assertThat(profile.network())
                .isEqualTo(new ProfileNetwork(
                        List.of("192.0.2.53:53"),
                        Optional.of("http://proxy.acme.example:8080"),
                        Optional.of("${secret:proxy}"),
                        Optional.of("/etc/ssl/mine.pem"),
                        Map.of("api.example.com", "/etc/ssl/me.pem", "pay.example.com", "${secret:acme-pay}")));
        assertThat(profile.modelEndpoints()).containsExactly(new ProviderUrl("openai", "https://models.example/v1"));
        assertThat(EffectiveJson.read(EffectiveJson.write(profile))).isEqualTo(new EffectiveJson.Read.Ok(profile));
        assertThat(new Layers().builtIn("coding", "").resolve("coding").network())
                .isEqualTo(ProfileNetwork.HOST);
    }

    @Test
    void aClosedNetworkSectionTakesNothingFromThePerson() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", "")
                .user("coding", "[network]\nupstream_proxy = \"http://mine.example:3128\"\n")
                .corp("acme", "[editable]\nnetwork = false\n")
                .resolve("coding");

        assertThat(profile.network()).isEqualTo(ProfileNetwork.HOST);
        assertThat(Layers.notices(profile))
                .containsExactly("network.upstream_proxy is not used: network is locked in coding.");
    }

    @Test
    void aLockedSectionTakesNothingFromOtherToolsEither() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", "[import]\nmcp_servers = true\n[editable]\nmcpServers = false\n")
                .detected(Layers.detectedServers())
                .resolve("coding");

        assertThat(profile.servers()).isEmpty();
        assertThat(Layers.notices(profile))
                .containsExactly("2 MCP servers of your AI tools are not used: mcpServers is locked in coding.");
    }

    @Test
    void tellsWhatAFileWouldDoBeforeItIsInForce() {
        ProfileLibrary library = new Layers()
                .builtIn("coding", "[vm]\ncpus = 2\n")
                .builtIn("other", "")
                .library();
        String head = "schema = \"capsem.profile.v2\"\nid = \"acme\"\nrevision = 1\n";

        assertThat(library.validate(new SourceText("new.toml", Layer.CORP, head + "[vm]\ncpus = 1\n"))
                        .isValid())
                .isTrue();
        assertThat(library.validate(new SourceText("new.toml", Layer.CORP, head + "[vm]\ncpus = 99\n"))
                        .problems())
                .hasToString("[new.toml:5:1: vm.cpus is from 1 to 8.]");
        ProfileLibrary.Validation unmet = library.validate(
                new SourceText("new.toml", Layer.CORP, head + Layers.directive("remove", "vm.cpus", "")));
        assertThat(unmet.isValid()).isFalse();
        assertThat(unmet.resolutions())
                .extracting(resolution -> resolution.getClass().getSimpleName())
                .containsExactly("Resolved", "Refused");
    }

    @Test
    void corpCanForbidImportWhateverTheUserSays() {
        Layers layers = new Layers()
                .builtIn("coding", "")
                .user("coding", "[import]\nmcp_servers = true\n")
                .corp("acme", "[import]\nmcp_servers = false\n")
                .detected(Layers.detectedServers());

        assertThat(layers.resolve("coding").servers()).isEmpty();
    }

    @Test
    void aLockedSectionTakesNothingFromTheUser() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", Layers.rule("a", "ask", 1000))
                .user("coding", Layers.rule("mine", "allow", 1) + server("x", "https://x.example/"))
                .corp("acme", "[editable]\nsecurity_rules = false\n")
                .resolve("coding");

        assertThat(profile.entries().keySet()).containsExactly("mcpServers.x", "security.rules.http.a");
        assertThat(profile.isEditable(Section.SECURITY_RULES)).isFalse();
        assertThat(Layers.notices(profile))
                .containsExactly("security.rules.http.mine is not used: security_rules is locked in coding.");
    }

    @Test
    void questionsWaitForSomebodyIfTheProfileSaysSo() {
        Layers patient = new Layers().builtIn("coding", "").user("coding", "[approvals]\nunwatched = \"wait\"\n");

        assertThat(new Layers().builtIn("coding", "").resolve("coding").waitsUnwatched())
                .isFalse();
        assertThat(patient.resolve("coding").waitsUnwatched()).isTrue();
        assertThat(patient.corp("acme", Layers.directive("replace", "approvals.unwatched", "value = \"block\""))
                        .resolve("coding")
                        .waitsUnwatched())
                .isFalse();
        assertThat(new Layers()
                        .builtIn("coding", "")
                        .user("coding", "[approvals]\nunwatched = \"wait\"\n")
                        .corp("acme", "[editable]\nsecurity_rules = false\n")
                        .resolve("coding")
                        .waitsUnwatched())
                .as("locked with the rules")
                .isFalse();
    }

    @Test
    void aSectionThatOneClosesNobodyOpens() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", "[editable]\nvm = false\n")
                .user("coding", "[vm]\ncpus = 8\n")
                .corp("acme", "[editable]\nvm = true\n")
                .resolve("coding");

        assertThat(profile.cpus()).isEmpty();
    }

    @Test
    void aBuiltInServerThatIsNotEditableStays() {
        EffectiveProfile profile = new Layers()
                .builtIn(
                        "coding", server("x", "https://builtin.example/") + "[mcpServers.x.capsem]\neditable = false\n")
                .user("coding", server("x", "https://user.example/"))
                .resolve("coding");

        assertThat(layerOf(profile, "mcpServers.x")).isEqualTo(Layer.BUILT_IN);
    }

    @Test
    void aUserProfileAddsToTheOneItExtends() {
        EffectiveProfile profile = new Layers()
                .builtIn(
                        "coding",
                        "[vm]\ncpus = 2\nram_mb = 512\ndisk_mb = 64\n[vm.env]\nA = \"1\"\n"
                                + Layers.rule("a", "ask", 1000))
                .user("mine", "extends = \"coding\"\n[vm]\ncpus = 4\n[vm.env]\nB = \"2\"\n")
                .resolve("mine");

        assertThat(profile.cpus()).hasValue(4);
        assertThat(profile.ramMb()).hasValue(512);
        assertThat(profile.diskMb()).hasValue(64);
        assertThat(profile.environment()).isEqualTo(Map.of("A", "1", "B", "2"));
        assertThat(layerOf(profile, "vm.ram_mb")).isEqualTo(Layer.BUILT_IN);
        assertThat(profile.rules()).hasSize(1);
    }

    @Test
    void chainsEndAndLeadSomewhere() {
        Layers circle = new Layers().user("a", "extends = \"b\"\n").user("b", "extends = \"a\"\n");

        assertThat(circle.refusal("a")).hasSize(1).first().asString().contains("go in a circle");
        assertThat(new Layers().user("a", "extends = \"nowhere\"\n").refusal("a"))
                .containsExactly("it extends nowhere, and there is no such profile. Known: [a].");
    }

    @Test
    void aTrustedCatchAllTakesThePlaceOfTheOthers() {
        Layers layers = new Layers().builtIn("coding", Layers.rule("built", "ask", 1000));

        assertThat(layers.user("coding", Layers.rule("mine", "block", 1000))
                        .resolve("coding")
                        .entries()
                        .keySet())
                .containsExactly("security.rules.http.mine");
        assertThat(layers.corp("acme", Layers.rule("theirs", "block", 1000))
                        .resolve("coding")
                        .entries()
                        .keySet())
                .containsExactly("security.rules.http.theirs");
    }

    @Test
    void aLockedCatchAllStandsAgainstOneOfAnotherName() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", Layers.rule("built", "ask", 1000))
                .user("coding", Layers.rule("mine", "allow", 1000))
                .corp("acme", Layers.directive("lock", "security.rules.http.built", ""))
                .resolve("coding");

        assertThat(profile.entries().keySet()).containsExactly("security.rules.http.built");
        assertThat(Layers.notices(profile))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("security.rules.http.mine is not used: http.request has a locked catch-all at builtin");
    }

    @Test
    void theNearerProfilesCatchAllStands() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", "")
                .user("coding", Layers.rule("far", "allow", 1000))
                .user("mine", "extends = \"coding\"\n" + Layers.rule("near", "block", 1000))
                .resolve("mine");

        assertThat(profile.entries().keySet()).containsExactly("security.rules.http.near");
    }

    @Test
    void aFileThatDoesNotReadRefusesItsProfileOnly() {
        Layers layers = new Layers().builtIn("coding", "").user("mine", "nonsense = 1\nextends = \"coding\"\n");

        assertThat(layers.refusal("mine")).hasSize(1);
        assertThat(layers.resolve("coding").entries()).isEmpty();
        assertThat(layers.library().list())
                .extracting(
                        ProfileLibrary.Summary::id,
                        summary -> summary.problems().size())
                .hasToString("[(coding, 0), (mine, 1)]");
    }

    @Test
    void aBrokenCorpLayerRefusesEveryProfile() {
        Layers layers = new Layers().builtIn("coding", "");
        ProfileLibrary broken = new ProfileLibrary(
                layers.library().builtIn(),
                Map.of(),
                new CorpLayer(List.of(), List.of(Problem.error(Place.start("corp.toml"), "not signed."))),
                DetectedEntries.NONE,
                ProfileId.DEFAULT);

        assertThat(broken.resolve(ProfileId.DEFAULT)).isInstanceOf(ProfileResolution.Refused.class);
    }

    @Test
    void allowedToolsBecomeABlockForAllOthers() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", "")
                .user(
                        "coding",
                        server("my.git", "https://x.example/")
                                + "[mcpServers.\"my.git\".capsem]\nallowed_tools = [\"a\", \"it's\\\"\"]\n")
                .resolve("coding");

        OwnedEntry derived = profile.rules().getFirst();
        assertThat(derived.entry().path()).isEqualTo("security.rules.mcp.allowed_tools_my_git");
        assertThat(derived.provenance().layer()).isEqualTo(Layer.DERIVED);
        assertThat(((RuleEntry) derived.entry()).priority()).isZero();
        assertThat(Engine.problems(profile.ruleSources())).isEmpty();
    }

    @Test
    void theEngineNamesTheLinesOfTheFile() {
        EffectiveProfile profile = new Layers()
                .builtIn("coding", Layers.rule("dropped", "allow", 1))
                .user(
                        "coding",
                        Layers.rule("dropped", "block", 1)
                                + "\n[vm]\ncpus = 2\n\n[security.rules.http.typo]\non = \"http.request\"\n"
                                + "if = 'http.request.hots == \"x\"'\ndecision = \"block\"\n")
                .resolve("coding");

        assertThat(Engine.problems(profile.ruleSources()))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("user/coding.toml:14:");
    }

    /// Whatever the other layers hold, every entry of the company is in force as the company wrote it.
    @Test
    void corpEntriesAreNeverShadowed() {
        long seed = 20_260_404;
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            String corp = layer(random, Layer.CORP);
            Layers layers = new Layers()
                    .builtIn("coding", layer(random, Layer.BUILT_IN))
                    .user("coding", layer(random, Layer.USER))
                    .user("mine", "extends = \"coding\"\n" + layer(random, Layer.USER))
                    .corp("acme", corp)
                    .detected(Layers.detectedServers());

            EffectiveProfile profile = layers.resolve(random.nextBoolean() ? "coding" : "mine");

            Map<String, Entry> written = new HashMap<>();
            Layers.valid(Layer.CORP, "acme", corp).entries().forEach(entry -> written.put(entry.path(), entry));
            written.forEach((path, entry) -> {
                OwnedEntry owned = profile.entry(path).orElseThrow();
                assertThat(owned.entry()).as("seed %d: %s", seed, path).isEqualTo(entry);
                assertThat(owned.provenance().layer()).isEqualTo(Layer.CORP);
                assertThat(owned.provenance().locked()).isTrue();
            });
            long lowestOther = profile.rules().stream()
                    .filter(owned -> owned.provenance().layer() != Layer.CORP)
                    .mapToInt(owned -> ((RuleEntry) owned.entry()).priority())
                    .min()
                    .orElse(0);
            assertThat(lowestOther).isGreaterThanOrEqualTo(0);
            assertThat(EffectiveJson.read(EffectiveJson.write(profile))).isEqualTo(new EffectiveJson.Read.Ok(profile));
        }
    }

    private static String layer(Random random, Layer layer) {
        StringBuilder settings = new StringBuilder();
        if (random.nextBoolean()) {
            settings.append("[vm]\ncpus = ").append(1 + random.nextInt(8)).append('\n');
        }
        if (random.nextBoolean()) {
            settings.append("[import]\nmcp_servers = ")
                    .append(random.nextBoolean())
                    .append('\n');
        }
        if (layer == Layer.BUILT_IN && random.nextInt(4) == 0) {
            settings.append("[editable]\nmcpServers = ")
                    .append(random.nextBoolean())
                    .append('\n');
        }
        List<String> names = new ArrayList<>(List.of("a", "b", "c", "d"));
        for (String name : names) {
            if (random.nextBoolean()) {
                int priority = 1 + random.nextInt(900);
                settings.append(Layers.rule(name, "allow", layer == Layer.CORP ? -priority : priority));
            }
            if (random.nextInt(3) == 0) {
                settings.append(server("github" + name, "https://" + layer.wireName() + ".example/"));
            }
        }
        if (random.nextInt(3) == 0) {
            settings.append(Layers.rule("all_" + layer.wireName(), "ask", 1000));
        }
        return settings.toString();
    }

    static String server(String name, String url) {
        return "[mcpServers.\"" + name + "\"]\nurl = \"" + url + "\"\n";
    }

    private static Layer layerOf(EffectiveProfile profile, String path) {
        return profile.entry(path).orElseThrow().provenance().layer();
    }
}
