package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEventJson;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.io.BuiltInProfiles;
import dev.capsem.profiles.registry.Registry;
import dev.capsem.profiles.registry.RegistryRules;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.security.SecurityEngine;
import dev.capsem.security.rule.Expectation;
import dev.capsem.security.schema.Schema;
import dev.capsem.source.Layer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BuiltInProfilesTest {
    private static final Map<ProfileId, Profile> BUILT_IN = BuiltInProfiles.load();

    @ParameterizedTest
    @ValueSource(strings = {"coding", "locked-down", "observe"})
    void decidesAsItsOwnExpectationsSay(String id) {
        Profile profile = profile(id);
        SecurityEngine engine = Engine.of(List.of(profile.source()));

        List<Expectation> expectations = engine.snapshot().orElseThrow().expectations();

        assertThat(expectations).isNotEmpty();
        for (Expectation expectation : expectations) {
            Evaluation evaluation = engine.evaluate(expectation.event());
            assertThat(evaluation.decision())
                    .as("%s: %s", id, expectation.name())
                    .isEqualTo(expectation.decision());
            expectation.rule().ifPresent(rule -> assertThat(evaluation.rule()).contains(rule));
        }
    }

    /// The engine blocks what no rule names; that must be a choice, not something forgotten.
    @ParameterizedTest
    @ValueSource(strings = {"coding", "locked-down", "observe"})
    void answersEveryKindOfEvent(String id) {
        Set<String> caught = profile(id).entries().stream()
                .filter(RuleEntry.class::isInstance)
                .map(RuleEntry.class::cast)
                .filter(RuleEntry::isCatchAll)
                .map(rule -> rule.on().orElseThrow())
                .collect(Collectors.toSet());

        assertThat(caught)
                .isEqualTo(Schema.JUDGED.stream().map(EventType::wireName).collect(Collectors.toSet()));
    }

    @Test
    void onlyObserveAllowsEverythingAndSaysSo() {
        EffectiveProfile observe = resolve("observe", DetectedEntries.NONE);

        assertThat(observe.warnings()).hasSize(1);
        assertThat(observe.warnings().getFirst()).contains("ALLOWS EVERYTHING");
        assertThat(resolve("coding", DetectedEntries.NONE).warnings()).isEmpty();
    }

    @Test
    void lockedDownTakesNoServersFromPeople() {
        ProfileLibrary library = new ProfileLibrary(
                BUILT_IN,
                Map.of(
                        new ProfileId("locked-down"),
                        Layers.read(Layer.USER, "locked-down", "[mcpServers.x]\nurl = \"https://x.example/\"\n")),
                CorpLayer.NONE,
                DetectedEntries.NONE,
                ProfileId.DEFAULT);

        ProfileResolution resolution = library.resolve(new ProfileId("locked-down"));

        EffectiveProfile profile = ((ProfileResolution.Resolved) resolution).profile();
        assertThat(profile.servers()).isEmpty();
        assertThat(Layers.notices(profile))
                .containsExactly("mcpServers.x is not used: mcpServers is locked in locked-down.");
    }

    @Test
    void codingOpensTheRegistriesOfThisHostAndNoOthers() {
        List<Registry> registries = List.of(
                Registry.parse("npm", "https://npm.example.com/team/").orElseThrow(),
                Registry.parse("maven", "http://10.0.0.5:8081/maven").orElseThrow());
        DetectedEntries detected =
                new DetectedEntries(List.of(), RegistryRules.of(registries, "registries"), List.of());
        SecurityEngine engine = Engine.of(resolve("coding", detected).ruleSources());

        assertThat(decide(engine, "GET", "https", "npm.example.com", 443, "/team/left-pad"))
                .isEqualTo(Decision.ALLOW);
        assertThat(decide(engine, "PUT", "https", "npm.example.com", 443, "/team/left-pad"))
                .isEqualTo(Decision.ASK);
        assertThat(decide(engine, "GET", "https", "npm.example.com", 443, "/other/"))
                .isEqualTo(Decision.ASK);
        assertThat(decide(engine, "GET", "http", "10.0.0.5", 8081, "/maven/a.jar"))
                .isEqualTo(Decision.ALLOW);
        assertThat(decide(engine, "GET", "http", "10.0.0.5", 80, "/maven/a.jar"))
                .isEqualTo(Decision.BLOCK);
        assertThat(decide(engine, "GET", "http", "10.0.0.6", 8081, "/maven/a.jar"))
                .isEqualTo(Decision.BLOCK);
    }

    @Test
    void registriesMayLieInsideButNotWhereCloudsKeepCredentials() {
        List<Registry> registries =
                List.of(Registry.parse("npm", "https://npm.example.com/").orElseThrow());
        DetectedEntries detected =
                new DetectedEntries(List.of(), RegistryRules.of(registries, "registries"), List.of());
        SecurityEngine engine = Engine.of(resolve("coding", detected).ruleSources());

        assertThat(engine.needsAddress())
                .as("a request to a public address is judged once")
                .isFalse();
        for (String address : List.of("93.184.216.34", "10.1.2.3", "198.18.0.7", "240.0.0.3", "127.0.0.1", "fd00::7")) {
            assertThat(decideAt(engine, "GET", "npm.example.com", address))
                    .as(address)
                    .isEqualTo(Decision.ALLOW);
            assertThat(decideAt(engine, "CONNECT", "npm.example.com", address))
                    .as("of a program behind MCP, to %s", address)
                    .isEqualTo(Decision.ALLOW);
            assertThat(decideAt(engine, "CONNECT", "other.example.com", address))
                    .as(address)
                    .isNotEqualTo(Decision.ALLOW);
            assertThat(decideAt(engine, "PUT", "npm.example.com", address))
                    .as(address)
                    .isNotEqualTo(Decision.ALLOW);
            assertThat(decideAt(engine, "GET", "other.example.com", address))
                    .as(address)
                    .isNotEqualTo(Decision.ALLOW);
        }
        for (String address : List.of("169.254.169.254", "169.254.1.1", "0.0.0.0")) {
            assertThat(decideAt(engine, "GET", "npm.example.com", address))
                    .as(address)
                    .isEqualTo(Decision.BLOCK);
            assertThat(decideAt(engine, "CONNECT", "npm.example.com", address))
                    .as(address)
                    .isEqualTo(Decision.BLOCK);
        }
    }

    @Test
    void whatNpmSendsByItselfIsNeverAsked() {
        List<Registry> registries =
                List.of(Registry.parse("npm", "https://npm.example.com/team/").orElseThrow());
        DetectedEntries detected =
                new DetectedEntries(List.of(), RegistryRules.of(registries, "registries"), List.of());
        SecurityEngine engine = Engine.of(resolve("coding", detected).ruleSources());

        for (String path : List.of("security/advisories/bulk", "security/audits/quick", "security/audits")) {
            assertThat(decide(engine, "POST", "https", "npm.example.com", 443, "/team/-/npm/v1/" + path))
                    .as(path)
                    .isEqualTo(Decision.ALLOW);
        }
        assertThat(decide(engine, "PUT", "https", "npm.example.com", 443, "/team/-/user/org.couchdb.user:kim"))
                .isEqualTo(Decision.BLOCK);
        assertThat(decide(engine, "POST", "https", "npm.example.com", 443, "/team/-/v1/login"))
                .isEqualTo(Decision.BLOCK);
        assertThat(decide(engine, "POST", "https", "npm.example.com", 443, "/team/-/npm/v1/elsewhere"))
                .isEqualTo(Decision.ASK);
        assertThat(decide(engine, "POST", "https", "other.example.com", 443, "/team/-/npm/v1/security/audits"))
                .isEqualTo(Decision.ASK);
        assertThat(decide(engine, "PUT", "https", "npm.example.com", 443, "/team/left-pad"))
                .as("publishing")
                .isEqualTo(Decision.ASK);
    }

    private static Decision decideAt(SecurityEngine engine, String method, String host, String address) {
        String json = """
                {"event_type": "http.request", "http": {"request":
                  {"method": "%s", "scheme": "https", "host": "%s", "port": 443, "path": "/x", "address": "%s"}}}
                """.formatted(method, host, address);
        return engine.evaluate(((SecurityEventJson.Read.Event) SecurityEventJson.read(json)).event())
                .decision();
    }

    @Test
    void lockedDownOpensNoRegistries() {
        DetectedEntries detected = new DetectedEntries(
                List.of(),
                RegistryRules.of(
                        List.of(Registry.parse("npm", "https://npm.example.com/")
                                .orElseThrow()),
                        "registries"),
                List.of());

        assertThat(resolve("locked-down", detected).entries().keySet()).noneMatch(path -> path.contains("registry"));
    }

    @Test
    void theJarHoldsTheFilesOfTheFolder() throws IOException {
        for (Profile profile : BUILT_IN.values()) {
            Path file = Path.of("..", "..", "config", "profiles", profile.id() + ".toml");

            assertThat(profile.source().text()).isEqualTo(Files.readString(file));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"coding", "locked-down", "observe"})
    void effectiveProfilesStayAsReviewed(String id) {
        EffectiveProfile profile = resolve(id, DetectedEntries.NONE);

        Golden.check("effective-" + id + ".json", EffectiveJson.write(profile));
    }

    static Decision decide(SecurityEngine engine, String method, String scheme, String host, int port, String path) {
        String json = """
                {"event_type": "http.request", "http": {"request":
                  {"method": "%s", "scheme": "%s", "host": "%s", "port": %d, "path": "%s"}}}
                """.formatted(method, scheme, host, port, path);
        return engine.evaluate(((SecurityEventJson.Read.Event) SecurityEventJson.read(json)).event())
                .decision();
    }

    private static Profile profile(String id) {
        return Objects.requireNonNull(BUILT_IN.get(new ProfileId(id)));
    }

    private static EffectiveProfile resolve(String id, DetectedEntries detected) {
        ProfileResolution resolution = new ProfileLibrary(
                        BUILT_IN, Map.of(), CorpLayer.NONE, detected, ProfileId.DEFAULT)
                .resolve(new ProfileId(id));
        assertThat(resolution).isInstanceOf(ProfileResolution.Resolved.class);
        return ((ProfileResolution.Resolved) resolution).profile();
    }
}
