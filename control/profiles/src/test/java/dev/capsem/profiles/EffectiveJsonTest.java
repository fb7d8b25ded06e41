package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.mcp.HostSettings;
import dev.capsem.profiles.mcp.HostTool;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EffectiveJsonTest {
    private static final String CORP = """
            [editable]
            vm = false
            [mcpServers.company]
            url = "https://company.example/mcp"
            bearerToken = "${secret:company}"
            [mcpServers.company.capsem]
            allowed_tools = ["search"]
            [security.rules.http.no_paste]
            on = "http.request"
            if = 'http.request.host.endsWith(".paste.example")'
            decision = "block"
            priority = -100
            reason = "no paste sites"
            [[directives]]
            operation = "lock"
            path = "vm.cpus"
            value = 2
            reason = "shared machines"
            """;

    private static Layers layers() {
        return new Layers()
                .builtIn("coding", "[import]\nmcp_servers = true\n" + Layers.rule("unknown_hosts", "ask", 1000))
                .user("mine", "extends = \"coding\"\n[vm.env]\nTEAM = \"blue\"\n" + Layers.rule("mine", "allow", 50))
                .corp("acme", CORP)
                .detected(new DetectedEntries(
                        HostSettings.detect(
                                        HostTool.CLAUDE,
                                        "{\"mcpServers\": {\"Runner\": {\"command\": \"npx\", \"args\": [\"TOPSECRET\"]}}}")
                                .servers()
                                .stream()
                                .map(found -> new ServerEntry(found.server(), found.place()))
                                .toList(),
                        List.of(),
                        List.of()));
    }

    @Test
    void allLayersStayAsReviewed() {
        String json = EffectiveJson.write(layers().resolve("mine"));

        assertThat(json).doesNotContain("TOPSECRET");
        Golden.check("effective-all-layers.json", json);
    }

    @Test
    void readsBackWhatItWrites() {
        EffectiveProfile profile = layers().resolve("mine");

        assertThat(EffectiveJson.read(EffectiveJson.write(profile))).isEqualTo(new EffectiveJson.Read.Ok(profile));
    }

    @Test
    void givesTheEngineTheSameSourcesAfterReadingBack() {
        EffectiveProfile profile = layers().resolve("mine");
        EffectiveProfile again = ((EffectiveJson.Read.Ok) EffectiveJson.read(EffectiveJson.write(profile))).profile();

        assertThat(again.ruleSources()).isEqualTo(profile.ruleSources());
        assertThat(Engine.problems(again.ruleSources())).isEmpty();
    }

    @Test
    void aRevisionChangesWithTheContentOnly() {
        EffectiveProfile profile = layers().resolve("mine");

        assertThat(layers().resolve("mine").revision()).isEqualTo(profile.revision());
        assertThat(layers().user("mine", "extends = \"coding\"\n")
                        .resolve("mine")
                        .revision())
                .isNotEqualTo(profile.revision());
    }

    /// Against torn and mixed-up files; whoever can write there can also write a revision that fits.
    @Test
    void refusesContentThatDoesNotFitItsRevision() {
        String changed =
                EffectiveJson.write(layers().resolve("mine")).replace("\"priority\": -100", "\"priority\": 100");

        assertThat(EffectiveJson.read(changed))
                .isEqualTo(new EffectiveJson.Read.Malformed("the revision does not fit the content"));
    }

    @Test
    void neverThrowsOnDamagedFiles() {
        long seed = 20_260_405;
        Random random = new Random(seed);
        String whole = EffectiveJson.write(layers().resolve("mine"));
        for (int i = 0; i < 500; i++) {
            int at = random.nextInt(whole.length());
            int length = 1 + random.nextInt(30);
            String damaged = whole.substring(0, at)
                    + "0".repeat(random.nextInt(3))
                    + whole.substring(Math.min(whole.length(), at + length));

            assertThat(EffectiveJson.read(damaged))
                    .as("seed %d, round %d", seed, i)
                    .isNotNull();
        }
    }

    @Test
    void showsWhatChangesBetweenTwoProfiles() {
        EffectiveProfile before = layers().resolve("coding");
        EffectiveProfile after = layers().resolve("mine");

        ProfileDiff diff = ProfileDiff.between(before, after);

        assertThat(diff.changes())
                .extracting(change -> change.path() + " " + change.kind())
                .containsExactly("security.rules.http.mine added");
        assertThat(ProfileDiff.between(after, after).isEmpty()).isTrue();
        assertThat(ProfileDiff.between(after, before).changes())
                .extracting(ProfileDiff.Change::kind)
                .containsOnly("removed");
        Golden.check("diff.txt", diff.text());
    }

    @Test
    void aChangeOfOwnerIsAChange() {
        EffectiveProfile user = new Layers()
                .builtIn("coding", "")
                .user("coding", "[vm]\ncpus = 2\n")
                .resolve("coding");
        EffectiveProfile corp = new Layers()
                .builtIn("coding", "")
                .corp("acme", "[vm]\ncpus = 2\n")
                .resolve("coding");

        assertThat(ProfileDiff.between(user, corp).changes()).hasSize(1);
    }
}
