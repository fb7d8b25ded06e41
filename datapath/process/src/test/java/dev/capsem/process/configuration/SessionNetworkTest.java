package dev.capsem.process.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.network.tls.ClientIdentity;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.file.Entry.SettingEntry;
import dev.capsem.profiles.file.Setting;
import dev.capsem.profiles.io.SecretStore;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionNetworkTest {
    @TempDir
    private Path directory;

    @Test
    void aProfileThatCannotBeReadSaysNothing() {
        ConfigurationInForce configuration = new ConfigurationInForce(new SessionRules(), _ -> Optional.empty());
        configuration.load(directory);

        assertThat(configuration.now().network()).isEqualTo(SessionNetwork.NONE);
    }

    @Test
    void anUpstreamProxyComesWithItsSecret() {
        EffectiveProfile profile = proxiedProfile();

        SessionNetwork network = SessionNetwork.of(profile, _ -> Optional.of(new Secret("me:pass")));

        assertThat(network.upstreamProxy())
                .contains(new UpstreamProxy(
                        "proxy.example", 3128, Optional.of(new UpstreamProxy.Credentials("me:pass"))));
        assertThat(network.toString()).doesNotContain("pass");
    }

    @Test
    void aProxyWhoseSecretIsMissingIsStillTheOnlyWay() throws IOException {
        EffectiveProfile profile = proxiedProfile();

        assertThat(SessionNetwork.of(profile, _ -> Optional.empty()).upstreamProxy())
                .contains(new UpstreamProxy("proxy.example", 3128, Optional.empty()));
        Path damaged = Files.writeString(directory.resolve("secrets.json"), "[]");
        Files.setPosixFilePermissions(damaged, PosixFilePermissions.fromString("rw-------"));
        assertThat(SessionNetwork.of(profile, new SecretStore(damaged)).upstreamProxy())
                .contains(new UpstreamProxy("proxy.example", 3128, Optional.empty()));
    }

    @Test
    void authoritiesThatAreNoneAreRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("ca.pem"), "-----BEGIN CERTIFICATE-----\nnonsense\n");
        SessionNetwork extra = new SessionNetwork(List.of(), List.of(), Optional.of(file), Optional.empty(), Map.of());

        assertThatThrownBy(() -> extra.engineSettings(directory)).isInstanceOf(IOException.class);
    }

    @Test
    void withoutAPairOfItsOwnAHomeHasTheBuiltInAuthority() throws IOException {
        assertThat(SessionNetwork.NONE
                        .engineSettings(directory)
                        .authority()
                        .certificate()
                        .getSubjectX500Principal()
                        .getName())
                .contains("Capsem MITM CA");
    }

    @Test
    void aClientCertificateComesFromAFileOrASecretAndIsNeverShown() throws IOException {
        AuthorityKeys keys = AuthorityKeys.builtIn();
        String pem = keys.certificatePem() + keys.keyPem();
        Path file = Files.writeString(directory.resolve("me.pem"), pem);
        EffectiveProfile profile = profile(Map.of(
                new Setting(Setting.CLIENT_CERTIFICATES + "file.example"),
                file.toString(),
                new Setting(Setting.CLIENT_CERTIFICATES + "secret.example"),
                "${secret:me}",
                new Setting(Setting.CLIENT_CERTIFICATES + "nowhere.example"),
                directory.resolve("none.pem").toString()));
        ClientIdentity me = new ClientIdentity.Held(keys.key(), List.of(keys.certificate()));

        SessionNetwork network = SessionNetwork.of(profile, _ -> Optional.of(new Secret(pem)));

        assertThat(network.engineSettings(directory).clientIdentities())
                .isEqualTo(Map.of(
                        "file.example",
                        me,
                        "secret.example",
                        me,
                        "nowhere.example",
                        new ClientIdentity.Missing("its file cannot be read")));
        assertThat(network.toString()).doesNotContain(keys.keyPem().substring(40, 60));
        assertThat(SessionNetwork.of(profile, _ -> Optional.empty()).clientIdentities())
                .containsEntry("file.example", me)
                .containsEntry("secret.example", new ClientIdentity.Missing("there is no secret of that name"));
    }

    private static EffectiveProfile proxiedProfile() {
        return profile(Map.of(
                Setting.UPSTREAM_PROXY, "http://proxy.example:3128",
                Setting.PROXY_CREDENTIALS, "${secret:proxy}"));
    }

    private static EffectiveProfile profile(Map<Setting, String> settings) {
        SortedMap<String, OwnedEntry> entries = new TreeMap<>();
        settings.forEach((setting, value) -> {
            Place place = new Place("profile.toml", 1, 1);
            entries.put(
                    setting.path(),
                    new OwnedEntry(
                            new SettingEntry(setting, value, place),
                            new Provenance(Layer.USER, ProfileId.DEFAULT, place, false, Optional.empty())));
        });
        return new EffectiveProfile(
                ProfileId.DEFAULT, "Test", List.of(), entries, Map.of(), new TreeSet<>(), List.of(), List.of());
    }
}
