package dev.capsem.profiles.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.Connectors;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.Layers;
import dev.capsem.profiles.ProfileResolution;
import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.Reading;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.mcp.ServerName;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserProfilesTest {
    private static final ProfileId CODING = ProfileId.DEFAULT;

    @TempDir
    Path temp;

    private ProfileFolders folders;
    private UserProfiles profiles;
    private Path file;

    @BeforeEach
    void open() {
        folders = ProfileFolders.of(temp, temp.resolve("etc"), temp.resolve("person"));
        profiles = new UserProfiles(folders);
        file = temp.resolve("profiles/coding.toml");
    }

    @Test
    void whatIsPostedIsReadBack() {
        McpServer server = posted("""
                {"id": "my.docs", "url": "https://docs.example/mcp?v=\\"1\\"", "bearerToken": "${secret:docs}",
                 "headers": {"X-Team": "a \\"b\\" \\\\ c"}, "capsem": {"allowed_tools": ["search"]}}
                """.replace("?v=\\\"1\\\"", ""));

        assertThat(profiles.add(CODING, server)).isEqualTo(new UserProfiles.Edit.Written(file));

        assertThat(effective().servers()).containsExactly(server);
        assertThat(profiles.remove(CODING, server.name())).isEqualTo(new UserProfiles.Edit.Written(file));
        assertThat(effective().servers()).isEmpty();
    }

    @Test
    void programsAreReadBackToo() {
        McpServer server = posted("""
                {"id": "x", "command": "run", "args": ["-a", "b c"], "env": {"MODE": "fast", "API_KEY": "${secret:k}"},
                 "capsem": {"enabled": false, "capabilities": ["fs:read:/usr"]}}
                """);

        profiles.add(CODING, server);

        assertThat(effective().servers()).containsExactly(server);
    }

    @Test
    void theHeadThatWeKeepIsReplacedAndTheRestStays() throws IOException {
        var id = new ProfileId("coding-tiny");
        String head = "schema = \"capsem.profile.v2\"\nid = \"coding-tiny\"\nextends = \"coding\"\n";
        Path kept = temp.resolve("profiles/coding-tiny.toml");

        assertThat(profiles.keep(id, head)).isTrue();
        assertThat(profiles.keep(id, head)).isFalse();
        profiles.add(
                id,
                RuleId.of("http", "mine"),
                "on = \"http.request\"\nif = \"true\"\ndecision = \"allow\"\npriority = 1\n");
        assertThat(profiles.keep(id, head + "name = \"Tiny\"\n")).isTrue();

        assertThat(kept).content().contains("name = \"Tiny\"", "[security.rules.http.mine]");
        assertThatThrownBy(() -> profiles.keep(id, head + "nonsense = 1\n")).isInstanceOf(ProfileException.class);
        assertThat(kept).content().contains("name = \"Tiny\"").doesNotContain("nonsense");
    }

    @Test
    void aProfileOfTheUsersIsNotTaken() throws IOException {
        Files.createDirectories(temp.resolve("profiles"));
        Files.writeString(temp.resolve("profiles/mine.toml"), "schema = \"capsem.profile.v2\"\nid = \"mine\"\n");

        assertThatThrownBy(
                        () -> profiles.keep(new ProfileId("mine"), "schema = \"capsem.profile.v2\"\nid = \"mine\"\n"))
                .isInstanceOf(ProfileException.class)
                .hasMessageContaining("not overwritten");
    }

    @Test
    void commentsAndOrderStay() throws IOException {
        String before = """
                # mine
                schema = "capsem.profile.v2" # v2
                id = "coding"

                [vm] # small
                cpus = 1
                """;
        Files.createDirectories(temp.resolve("profiles"));
        Files.writeString(file, before);

        profiles.add(CODING, posted("{\"id\": \"x\", \"url\": \"https://x.example/\"}"));
        assertThat(Files.readString(file)).startsWith(before);

        profiles.remove(CODING, new ServerName("x"));
        assertThat(Files.readString(file).stripTrailing()).isEqualTo(before.stripTrailing());
    }

    @Test
    void remembersAnAnswerAsARule() {
        RuleId id = RuleId.of("http", "always_example");

        profiles.add(CODING, id, """
                on = "http.request"
                if = 'http.request.host == "example.com"'
                decision = "allow"
                """);

        assertThat(effective().entry(id.value())).isPresent();
        profiles.remove(CODING, id);
        assertThat(effective().entry(id.value())).isEmpty();
    }

    @Test
    void writesNothingThatWouldNotRead() throws IOException {
        UserProfiles.Edit edit = profiles.add(CODING, RuleId.of("http", "x"), "priority = -5");

        assertThat(edit).isInstanceOf(UserProfiles.Edit.Refused.class);
        assertThat(file).doesNotExist();
    }

    @Test
    void doesNotCutWhatSharesItsLines() throws IOException {
        Files.createDirectories(temp.resolve("profiles"));
        Files.writeString(
                file,
                "schema = \"capsem.profile.v2\"\nid = \"coding\"\nmcpServers = { x = { url = \"https://x.example/\" } }\n");

        assertThat(profiles.remove(CODING, new ServerName("x")).toString()).contains("edit the file");
    }

    private static McpServer posted(String body) {
        Connectors connectors = new Connectors(builtIn());
        Connectors.Outcome outcome = connectors.add(Connectors.parse(body).orElseThrow());
        assertThat(outcome).isInstanceOf(Connectors.Outcome.Accepted.class);
        return ((Connectors.Outcome.Accepted) outcome).server();
    }

    private static EffectiveProfile builtIn() {
        Path nowhere = Path.of("/nonexistent");
        return resolve(ProfileFolders.of(nowhere, nowhere, nowhere));
    }

    private EffectiveProfile effective() {
        return resolve(folders);
    }

    private static EffectiveProfile resolve(ProfileFolders folders) {
        ProfileResolution resolution = ProfileSource.open(folders).library().resolve(CODING);
        assertThat(resolution).isInstanceOf(ProfileResolution.Resolved.class);
        return ((ProfileResolution.Resolved) resolution).profile();
    }

    @Test
    void aGrantIsPutInPlaceOfTheOneBeforeAndTakenAway() throws IOException {
        String grant = "name = \"a\"\nsecret = \"${secret:a}\"\nhosts = [\"a.example.com\"]\nplaces = [\"basic\"]\n";
        ProfileGrant first = grant(grant + "env = \"FIRST\"\n");
        ProfileGrant second = grant(grant + "env = \"SECOND\"\n");
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "schema = \"capsem.profile.v2\"\nid = \"coding\"\n# mine\n[[grant]]\n"
                        + grant.replace("\"a\"", "\"other\"") + "env = \"OTHER\"\n\n[vm]\ncpus = 2\n");

        assertThat(profiles.put(CODING, first)).isInstanceOf(UserProfiles.Edit.Written.class);
        assertThat(profiles.put(CODING, second)).isInstanceOf(UserProfiles.Edit.Written.class);

        assertThat(effective().grants())
                .extracting(one -> one.variable().orElse(""))
                .containsExactly("SECOND", "OTHER");
        assertThat(profiles.removeGrant(CODING, "a")).isInstanceOf(UserProfiles.Edit.Written.class);
        assertThat(profiles.removeGrant(CODING, "a")).isInstanceOf(UserProfiles.Edit.Refused.class);
        assertThat(effective().grants()).extracting(ProfileGrant::name).containsExactly("other");
        assertThat(Files.readString(file)).contains("# mine", "cpus = 2");
    }

    private static ProfileGrant grant(String lines) {
        Reading reading = Layers.read(Layer.USER, "x", "[[grant]]\n" + lines);
        assertThat(reading).isInstanceOf(Reading.Valid.class);
        return ((GrantEntry) ((Reading.Valid) reading).profile().entries().getFirst()).grant();
    }
}
