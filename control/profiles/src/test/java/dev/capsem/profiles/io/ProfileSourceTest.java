package dev.capsem.profiles.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.ProfileLibrary;
import dev.capsem.profiles.ProfileResolution;
import dev.capsem.profiles.corp.SigningKey;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.mcp.ServerDefinitions;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileSourceTest {
    private static final ProfileId CODING = ProfileId.DEFAULT;
    private static final ProfileId MINE = new ProfileId("mine");
    private static final SigningKey KEY = SigningKey.generate(new SecureRandom());

    @TempDir
    Path temp;

    private Path home;
    private ProfileFolders folders;

    @BeforeEach
    void folders() throws IOException {
        home = temp.resolve("capsem");
        folders = ProfileFolders.of(home, temp.resolve("etc"), temp.resolve("person"));
        Files.createDirectories(home.resolve("profiles"));
        Files.createDirectories(home.resolve("corp"));
        Files.createDirectories(temp.resolve("person"));
        Files.createDirectories(temp.resolve("etc"));
    }

    @Test
    void hasTheBuiltInProfilesOnAnEmptyHome() {
        ProfileLibrary library = ProfileSource.open(folders).library();

        assertThat(library.ids()).hasToString("[coding, locked-down, observe]");
        assertThat(library.chosen()).isEqualTo(CODING);
        assertThat(library.resolve(CODING)).isInstanceOf(ProfileResolution.Resolved.class);
        assertThat(library.resolve(new ProfileId("nope"))).isInstanceOf(ProfileResolution.Unknown.class);
    }

    @Test
    void followsTheFiles() throws IOException {
        ProfileSource source = ProfileSource.open(folders);
        assertThat(source.poll()).isEmpty();

        user("mine", "extends = \"coding\"\n[vm]\ncpus = 3\n");
        ProfileSource.Reload reload = source.poll().orElseThrow();

        assertThat(reload.changed()).isTrue();
        assertThat(resolve(source, MINE).cpus()).hasValue(3);
        assertThat(source.poll()).isEmpty();

        Files.delete(home.resolve("profiles/mine.toml"));
        source.poll();
        assertThat(source.library().resolve(MINE)).isInstanceOf(ProfileResolution.Unknown.class);
    }

    @Test
    void aFileThatWasJustSavedIsThereAndIsStillToldOf() throws IOException {
        ProfileSource source = ProfileSource.open(folders);
        user("mine", "extends = \"coding\"\n");

        assertThat(source.fresh().ids()).contains(MINE);
        assertThat(source.poll()).isPresent();
        assertThat(source.poll()).isEmpty();
    }

    @Test
    void aProfileThatIsAddedToKeepsItsDescription() throws IOException {
        user("coding", "[security.rules.process.x]\non = \"process.exec\"\nif = 'false'\ndecision = \"block\"\n");

        assertThat(ProfileSource.open(folders).library().list())
                .filteredOn(summary -> summary.id().equals(CODING))
                .singleElement()
                .satisfies(summary -> assertThat(summary.description()).startsWith("Models, source hosts"));
    }

    @Test
    void aBadFileChangesNothingAndSaysWhy() throws IOException {
        user("mine", "extends = \"coding\"\n[vm]\ncpus = 3\n");
        ProfileSource source = ProfileSource.open(folders);

        user("mine", "extends = \"coding\"\n[vm]\ncpus = 3000\n");
        ProfileSource.Reload reload = source.reload();

        assertThat(reload.changed()).isFalse();
        assertThat(reload.isClean()).isFalse();
        assertThat(reload.problems())
                .extracting(Problem::toString)
                .containsExactly(home.resolve("profiles/mine.toml") + ":5:1: vm.cpus is from 1 to 8.");
        assertThat(resolve(source, MINE).cpus()).hasValue(3);
    }

    @Test
    void aFileThatWasNeverGoodRefusesItsProfile() throws IOException {
        user("mine", "extends = \"coding\"\n[vm]\ncpus = 3000\n");
        ProfileSource source = ProfileSource.open(folders);

        assertThat(source.library().resolve(MINE)).isInstanceOf(ProfileResolution.Refused.class);
        assertThat(source.library().resolve(CODING)).isInstanceOf(ProfileResolution.Resolved.class);
    }

    @Test
    void aFilesNameIsItsProfilesId() throws IOException {
        Files.writeString(home.resolve("profiles/mine.toml"), "schema = \"capsem.profile.v2\"\nid = \"other\"\n");
        Files.writeString(home.resolve("profiles/Not An Id.toml"), "");

        ProfileSource.Reload reload = ProfileSource.open(folders).reload();

        assertThat(reload.problems()).extracting(Problem::message).hasSize(2);
        assertThat(reload.problems().toString()).contains("is not mine, its file's name", "is named <id>.toml");
    }

    @Test
    void theChosenProfileIsRemembered() {
        ProfileSource source = ProfileSource.open(folders);

        new UserProfiles(folders).choose(new ProfileId("locked-down"));

        assertThat(source.poll()).isPresent();
        assertThat(source.library().chosen()).isEqualTo(new ProfileId("locked-down"));
    }

    @Test
    void tellsAWatcherWhatChanged() throws Exception {
        ProfileSource source = ProfileSource.open(folders);
        BlockingQueue<ProfileSource.Reload> seen = new LinkedBlockingQueue<>();

        try (ProfileSource.Watch _ = source.watch(Duration.ofMillis(10), seen::add)) {
            user("mine", "extends = \"coding\"\n");

            assertThat(seen.poll(30, TimeUnit.SECONDS)).isNotNull();
        }

        assertThat(source.library().ids()).contains(MINE);
    }

    @Test
    void asksTheSettingsOfOtherToolsAndSendsTheirTokensByReferenceOnly() throws IOException {
        user("mine", "extends = \"coding\"\n[import]\nmcp_servers = true\n");
        Files.writeString(temp.resolve("person/.claude.json"), """
                {"mcpServers": {"docs": {"url": "https://docs.example/", "headers": {"Authorization": "TOPSECRET"}}}}
                """);
        EffectiveProfile profile = resolve(ProfileSource.open(folders), MINE);

        assertThat(profile.toString()).doesNotContain("TOPSECRET");
        assertThat(profile.servers()).extracting(McpServer::origin).containsExactly("claude");
        StringWriter pipe = new StringWriter();
        HostSecrets secrets = new HostSecrets(new SecretStore(home.resolve("secrets.json")), temp.resolve("person"));
        assertThat(ServerDefinitions.write(profile.servers(), secrets, pipe)).isEmpty();
        assertThat(pipe.toString()).contains("\"Authorization\":\"TOPSECRET\"");
    }

    @Test
    void signedPayloadsAreInForce() throws IOException {
        trust(KEY);
        corp(1, "[vm]\ncpus = 1\n", KEY);

        EffectiveProfile profile = resolve(ProfileSource.open(folders), CODING);

        assertThat(profile.cpus()).hasValue(1);
        assertThat(profile.entry("vm.cpus").orElseThrow().provenance().layer()).isEqualTo(Layer.CORP);
    }

    @Test
    void withoutASignatureNothingIsInForce() throws IOException {
        trust(KEY);
        corp(1, "[vm]\ncpus = 1\n", KEY);
        Files.delete(home.resolve("corp/acme.toml.minisig"));

        assertThat(refusal(CODING)).contains("not signed");
    }

    @Test
    void withAChangedPayloadNothingIsInForce() throws IOException {
        trust(KEY);
        corp(1, "[vm]\ncpus = 1\n", KEY);
        Files.writeString(home.resolve("corp/acme.toml"), payload(1, "[vm]\ncpus = 8\n"));

        assertThat(refusal(CODING)).contains("changed after signing");
    }

    @Test
    void withAnotherKeyOrNoneNothingIsInForce() throws IOException {
        corp(1, "[vm]\ncpus = 1\n", KEY);
        assertThat(refusal(CODING)).contains("does not trust");

        trust(SigningKey.generate(new SecureRandom()));
        assertThat(refusal(CODING)).contains("does not trust");
    }

    @Test
    void theLastGoodPayloadStays() throws IOException {
        trust(KEY);
        corp(3, "[vm]\ncpus = 1\n", KEY);
        ProfileSource source = ProfileSource.open(folders);

        Files.writeString(home.resolve("corp/acme.toml"), payload(4, "[vm]\ncpus = 8\n"));
        ProfileSource.Reload reload = source.reload();

        assertThat(reload.problems().toString()).contains("Revision 3 of acme.toml stays in force.");
        assertThat(resolve(source, CODING).cpus()).hasValue(1);
        assertThat(resolve(ProfileSource.open(folders), CODING).cpus()).hasValue(1);
    }

    @Test
    void aSignedPayloadThatDoesNotReadLeavesTheLastGoodOne() throws IOException {
        trust(KEY);
        corp(3, "[vm]\ncpus = 1\n", KEY);
        ProfileSource source = ProfileSource.open(folders);

        corp(4, "[vm]\ncpus = 800\n", KEY);

        assertThat(source.reload().problems().toString()).contains("vm.cpus is from 1 to 8.");
        assertThat(resolve(source, CODING).cpus()).hasValue(1);
    }

    @Test
    void anOldPayloadIsNotPutBack() throws IOException {
        trust(KEY);
        corp(3, "[vm]\ncpus = 1\n", KEY);
        ProfileSource source = ProfileSource.open(folders);

        corp(2, "[vm]\ncpus = 8\n", KEY);

        assertThat(source.reload().problems().toString()).contains("revision 2 is older than 3");
        assertThat(resolve(source, CODING).cpus()).hasValue(1);
    }

    @Test
    void takingAPayloadAwayDoesNotEndItsRules() throws IOException {
        trust(KEY);
        corp(3, "[vm]\ncpus = 1\n", KEY);
        ProfileSource source = ProfileSource.open(folders);

        Files.delete(home.resolve("corp/acme.toml"));

        assertThat(source.reload().problems().toString()).contains("remove its key");
        assertThat(resolve(source, CODING).cpus()).hasValue(1);
        assertThat(resolve(ProfileSource.open(folders), CODING).cpus()).hasValue(1);
    }

    @Test
    void theMachinesKeyIsTheOnlyOneThatCounts() throws IOException {
        SigningKey machine = SigningKey.generate(new SecureRandom());
        Files.writeString(temp.resolve("etc/corp.pub"), machine.verifyingKey().encode());
        trust(KEY);
        corp(1, "[vm]\ncpus = 8\n", KEY);

        assertThat(refusal(CODING)).contains("does not trust");
    }

    @Test
    void aSessionKeepsItsEffectiveProfile() throws IOException {
        EffectiveProfile profile = resolve(ProfileSource.open(folders), CODING);

        SessionProfile.write(temp, profile);
        assertThat(SessionProfile.read(temp)).isEqualTo(new EffectiveJson.Read.Ok(profile));

        Files.delete(temp.resolve(EffectiveJson.FILE));
        assertThat(SessionProfile.read(temp)).isInstanceOf(EffectiveJson.Read.Malformed.class);
    }

    @Test
    void registriesAreRememberedFromSetUp() throws IOException {
        Files.writeString(
                home.resolve("registries.json"),
                "{\"registries\": [{\"client\": \"npm\", \"url\": \"https://npm.example.com/\"}]}");

        EffectiveProfile profile = resolve(ProfileSource.open(folders), CODING);

        assertThat(profile.entry("security.rules.http.registry_npm_1")).isPresent();
        assertThat(profile.entry("security.rules.dns.registry_npm_1")).isPresent();
    }

    private void user(String id, String text) throws IOException {
        Files.writeString(
                home.resolve("profiles").resolve(id + ".toml"),
                "schema = \"capsem.profile.v2\"\nid = \"" + id + "\"\n" + text);
    }

    private void trust(SigningKey key) throws IOException {
        Files.writeString(home.resolve("corp.pub"), key.verifyingKey().encode());
    }

    private void corp(int revision, String text, SigningKey key) throws IOException {
        String payload = payload(revision, text);
        Files.writeString(home.resolve("corp/acme.toml"), payload);
        Files.writeString(
                home.resolve("corp/acme.toml.minisig"),
                key.sign(payload.getBytes(StandardCharsets.UTF_8), "revision " + revision));
    }

    private static String payload(int revision, String text) {
        return "schema = \"capsem.profile.v2\"\nid = \"acme\"\nrevision = " + revision + "\n" + text;
    }

    private static EffectiveProfile resolve(ProfileSource source, ProfileId id) {
        ProfileResolution resolution = source.library().resolve(id);
        assertThat(resolution).isInstanceOf(ProfileResolution.Resolved.class);
        return ((ProfileResolution.Resolved) resolution).profile();
    }

    private String refusal(ProfileId id) {
        ProfileResolution resolution = ProfileSource.open(folders).library().resolve(id);
        assertThat(resolution).isInstanceOf(ProfileResolution.Refused.class);
        List<Problem> problems = ((ProfileResolution.Refused) resolution).problems();
        return problems.toString();
    }
}
