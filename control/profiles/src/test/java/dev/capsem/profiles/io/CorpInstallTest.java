package dev.capsem.profiles.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.corp.SigningKey;
import dev.capsem.profiles.io.CorpInstall.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CorpInstallTest {
    private static final SigningKey KEY = SigningKey.generate(new SecureRandom());
    private static final SigningKey OTHER = SigningKey.generate(new SecureRandom());

    @TempDir
    Path temp;

    private Path home;
    private ProfileFolders folders;

    @BeforeEach
    void folders() {
        home = temp.resolve("capsem");
        folders = ProfileFolders.of(home, temp.resolve("etc"), temp.resolve("person"));
    }

    private static byte[] payload(int revision) {
        return ("schema = \"capsem.profile.v2\"\nid = \"acme\"\nrevision = " + revision
                        + "\napplies_to = [\"coding\"]\n\n[[directives]]\noperation = \"lock\"\n"
                        + "path = \"vm.cpus\"\nvalue = 2\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    private Outcome install(SigningKey signer, byte[] payload, Optional<SigningKey> given) {
        return new CorpInstall(folders)
                .install(
                        "acme.toml",
                        payload,
                        signer.sign(payload, "timestamp:1"),
                        given.map(key -> key.verifyingKey().encode()),
                        CorpInstallTest::noList);
    }

    @Test
    void theFirstKeyIsGivenAndBelievedFromThenOn() {
        assertThat(install(KEY, payload(1), Optional.empty())).isInstanceOf(Outcome.Refused.class);
        assertThat(home).doesNotExist();

        assertThat(install(KEY, payload(1), Optional.of(KEY))).isInstanceOf(Outcome.Installed.class);
        assertThat(install(KEY, payload(2), Optional.empty()))
                .isInstanceOfSatisfying(
                        Outcome.Installed.class,
                        installed -> assertThat(installed.revision()).isEqualTo(2));

        assertThat(ProfileSource.open(folders).reload().isClean()).isTrue();
        assertThat(ProfileSource.open(folders).library().corp().payloads()).hasSize(1);
    }

    @Test
    void nothingIsWrittenOverAValidPayloadBySomebodyElse() throws IOException {
        install(KEY, payload(3), Optional.of(KEY));
        byte[] before = Files.readAllBytes(home.resolve("corp/acme.toml"));

        assertThat(install(OTHER, payload(4), Optional.empty())).isInstanceOf(Outcome.Refused.class);
        assertThat(install(OTHER, payload(4), Optional.of(OTHER))).isInstanceOf(Outcome.Refused.class);
        assertThat(install(KEY, payload(2), Optional.empty())).as("older").isInstanceOf(Outcome.Refused.class);
        byte[] changed = payload(5);
        String signature = KEY.sign(payload(4), "timestamp:1");
        assertThat(new CorpInstall(folders)
                        .install("acme.toml", changed, signature, Optional.empty(), CorpInstallTest::noList))
                .as("changed after signing")
                .isInstanceOf(Outcome.Refused.class);

        assertThat(Files.readAllBytes(home.resolve("corp/acme.toml"))).isEqualTo(before);
        assertThat(Files.readString(home.resolve("corp.pub")))
                .isEqualTo(KEY.verifyingKey().encode());
    }

    @Test
    void aNameThatIsNoFileOfAPayloadIsRefused() {
        byte[] payload = payload(1);
        String signature = KEY.sign(payload, "timestamp:1");
        Optional<String> key = Optional.of(KEY.verifyingKey().encode());

        for (String name : new String[] {"", "acme", "../x.toml", ".toml", "a b.toml", "acme.toml.minisig"}) {
            assertThat(new CorpInstall(folders).install(name, payload, signature, key, CorpInstallTest::noList))
                    .as(name)
                    .isInstanceOf(Outcome.Refused.class);
        }
        assertThat(home).doesNotExist();
    }

    private static String noList(String name) {
        throw new AssertionError("nobody asked for " + name);
    }

    /// The signature covers the lists by their digests: the right ones come with the payload, others change nothing,
    /// and none is asked for before the signature was checked.
    @Test
    void theListsThatAPayloadPinsComeWithIt() throws IOException {
        String list = "bad.example\n";
        byte[] payload = ("schema = \"capsem.profile.v2\"\nid = \"acme\"\nrevision = 1\napplies_to = [\"coding\"]\n\n"
                        + "[security.lists]\n\"bad.txt\" = \"" + ListFiles.digest(list) + "\"\n\n"
                        + "[security.rules.dns.bad]\non = \"dns.request\"\n"
                        + "if = 'dns.request.qname in list(\"bad.txt\")'\ndecision = \"block\"\npriority = -10\n")
                .getBytes(StandardCharsets.UTF_8);
        Optional<String> key = Optional.of(KEY.verifyingKey().encode());
        CorpInstall install = new CorpInstall(folders);

        assertThat(install.install(
                        "acme.toml", payload, OTHER.sign(payload, "timestamp:1"), key, CorpInstallTest::noList))
                .isInstanceOf(Outcome.Refused.class);
        assertThat(install.install("acme.toml", payload, KEY.sign(payload, "timestamp:1"), key, _ -> "good.example\n"))
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(refused.reason()).contains("bad.txt is not the one that was signed"));
        assertThat(home).doesNotExist();

        assertThat(install.install("acme.toml", payload, KEY.sign(payload, "timestamp:1"), key, name -> {
                    assertThat(name).isEqualTo("bad.txt");
                    return list;
                }))
                .isInstanceOf(Outcome.Installed.class);
        assertThat(Files.readString(home.resolve("corp/bad.txt"))).isEqualTo(list);
        assertThat(ProfileSource.open(folders).reload().isClean()).isTrue();
        assertThat(install(KEY, payload, Optional.empty()))
                .as("it is there already")
                .isInstanceOf(Outcome.Installed.class);
    }
}
