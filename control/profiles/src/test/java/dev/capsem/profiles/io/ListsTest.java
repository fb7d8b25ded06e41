package dev.capsem.profiles.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.profiles.Engine;
import dev.capsem.profiles.ProfileResolution;
import dev.capsem.profiles.corp.SigningKey;
import dev.capsem.profiles.vocabulary.ProfileId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Lists that stand beside a profile.
class ListsTest {
    private static final ProfileId MINE = new ProfileId("mine");
    private static final ProfileId CODING = new ProfileId("coding");

    private static final String RULE = """
            [security.rules.dns.listed]
            on = "dns.request"
            if = 'dns.request.qname in list("hosts.txt")'
            decision = "block"
            priority = %d
            """;

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
    }

    @Test
    void areInForceAndFollowed() throws IOException {
        profile();
        Files.writeString(
                home.resolve("profiles/hosts.txt"), "# what nobody needs\nbad.example\n\nworse.example # too\n");
        ProfileSource source = ProfileSource.open(folders);

        assertThat(decision(source, MINE, "worse.example")).isEqualTo(Decision.BLOCK);
        assertThat(decision(source, MINE, "new.example")).isNotEqualTo(Decision.BLOCK);

        Files.writeString(home.resolve("profiles/hosts.txt"), "bad.example\nnew.example\nanother.example\n");
        assertThat(source.poll()).isPresent();
        assertThat(decision(source, MINE, "new.example")).isEqualTo(Decision.BLOCK);
    }

    @Test
    void refuseTheirProfileWhereTheyAreMissingOrTooLong() throws IOException {
        profile();
        assertThat(refusal(ProfileSource.open(folders), MINE)).contains("there is no list hosts.txt beside this file");

        Files.writeString(home.resolve("profiles/hosts.txt"), numbers(10_001));
        assertThat(refusal(ProfileSource.open(folders), MINE)).contains("more than 10000 lines");

        Files.writeString(home.resolve("profiles/hosts.txt"), numbers(10_000));
        assertThat(decision(ProfileSource.open(folders), MINE, "h9999.example")).isEqualTo(Decision.BLOCK);
    }

    @Test
    void ofACompanyAreSignedThroughTheirDigest() throws IOException {
        SigningKey key = SigningKey.generate(new SecureRandom());
        Files.writeString(home.resolve("corp.pub"), key.verifyingKey().encode());
        String list = "bad.example\n";
        Files.writeString(home.resolve("corp/hosts.txt"), list);
        corp(key, 1, "");
        assertThat(refusal(ProfileSource.open(folders), CODING))
                .contains("the list hosts.txt is not the one that was signed", ListFiles.digest(list));

        corp(key, 2, "[security.lists]\n\"hosts.txt\" = \"" + ListFiles.digest(list) + "\"\n");
        assertThat(decision(ProfileSource.open(folders), CODING, "bad.example")).isEqualTo(Decision.BLOCK);

        // Somebody else changes the list: what was signed stays in force.
        Files.writeString(home.resolve("corp/hosts.txt"), "other.example\n");
        ProfileSource source = ProfileSource.open(folders);
        assertThat(decision(source, CODING, "bad.example")).isEqualTo(Decision.BLOCK);
        assertThat(decision(source, CODING, "other.example")).isNotEqualTo(Decision.BLOCK);
    }

    private void profile() throws IOException {
        Files.writeString(
                home.resolve("profiles/mine.toml"),
                "schema = \"capsem.profile.v2\"\nid = \"mine\"\nextends = \"coding\"\n" + RULE.formatted(5));
    }

    private void corp(SigningKey key, int revision, String more) throws IOException {
        String payload = "schema = \"capsem.profile.v2\"\nid = \"acme\"\nrevision = " + revision + "\n"
                + RULE.formatted(-5) + more;
        Files.writeString(home.resolve("corp/acme.toml"), payload);
        Files.writeString(
                home.resolve("corp/acme.toml.minisig"),
                key.sign(payload.getBytes(StandardCharsets.UTF_8), "revision " + revision));
    }

    private static String numbers(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append('h').append(i).append(".example\n");
        }
        return text.toString();
    }

    private static Decision decision(ProfileSource source, ProfileId id, String name) {
        ProfileResolution resolution = source.library().resolve(id);
        assertThat(resolution).isInstanceOf(ProfileResolution.Resolved.class);
        return Engine.of(((ProfileResolution.Resolved) resolution).profile().ruleSources())
                .evaluate(new DnsRequest(
                        Envelope.inline(new EventId("e"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE),
                        name,
                        "A",
                        "udp"))
                .decision();
    }

    private static String refusal(ProfileSource source, ProfileId id) {
        ProfileResolution resolution = source.library().resolve(id);
        assertThat(resolution).isInstanceOf(ProfileResolution.Refused.class);
        return ((ProfileResolution.Refused) resolution).problems().toString();
    }
}
