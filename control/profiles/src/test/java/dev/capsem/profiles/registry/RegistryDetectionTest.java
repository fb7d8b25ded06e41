package dev.capsem.profiles.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryDetectionTest {
    private static final String PIP_ITSELF = "python3 -c from pip._internal.models.index import PyPI as i;"
            + " print(i.simple_url); print('https://' + i.file_storage_domain + '/')";

    /// A host with what it would print and hold; `jar:` stands before entries of jars.
    private record FakeHost(Map<String, String> answers) implements HostClients {
        @Override
        public Optional<String> ask(List<String> command) {
            return Optional.ofNullable(answers.get(String.join(" ", command.subList(0, Math.min(3, command.size())))));
        }

        @Override
        public Optional<String> file(String path) {
            return Optional.ofNullable(answers.get(path));
        }

        @Override
        public List<String> names(String directory) {
            return answers.keySet().stream()
                    .filter(key -> key.startsWith(directory + "/"))
                    .map(key -> key.substring(directory.length() + 1).replaceFirst("/.*", ""))
                    .sorted()
                    .toList();
        }

        @Override
        public Optional<String> jarEntry(String jarPattern, String entry) {
            return Optional.ofNullable(answers.get("jar:" + jarPattern));
        }
    }

    @Test
    void asksNpmForItsRegistryAndThoseOfScopes() {
        assertThat(detect(Map.of(
                        "npm config get", "npm warn something\nhttps://npm.example.com/\n",
                        "npm config list",
                                "{\"registry\": \"x\", \"@team:registry\": \"https://team.example.com/npm\"}")))
                .containsExactly("npm https://npm.example.com/", "npm https://team.example.com/npm/");
    }

    @Test
    void asksPipForItsIndexes() {
        assertThat(detect(Map.of("pip config list", """
                        global.cert='/etc/ssl/x.crt'
                        global.index-url='https://user:TOPSECRET@pip.example.com/simple'
                        global.extra-index-url='file:///opt/simple https://extra.example.com/simple/'
                        """, PIP_ITSELF, "https://default.example.com/simple\n")))
                .containsExactly("pip https://pip.example.com/simple/", "pip https://extra.example.com/simple/");
    }

    @Test
    void takesPipsOwnIndexWhereNoneIsSet() {
        assertThat(detect(Map.of(
                        "pip config list",
                        "",
                        PIP_ITSELF,
                        "https://index.example.com/simple\nhttps://files.example.com/\n")))
                .containsExactly("pip https://index.example.com/simple/", "pip https://files.example.com/");
    }

    @Test
    void asksAptForItsSites() {
        assertThat(detect(Map.of(
                        "apt-get indextargets --format",
                        "http://deb.example.com/debian\nhttp://deb.example.com/debian\nfile:/opt/debian\n")))
                .containsExactly("apt http://deb.example.com/debian/");
    }

    @Test
    void readsMavensMirrorsAndOtherwiseItsSuperPom() {
        String superPom = """
                <project xmlns="http://maven.example/POM"><repositories><repository><id>central</id>
                <url>https://maven.example.com/maven2</url></repository></repositories></project>
                """;
        String settings = """
                <?xml version="1.0"?>
                <settings><mirrors><mirror><id>m</id><mirrorOf>%s</mirrorOf>
                <url>https://mirror.example.com/repo</url></mirror></mirrors></settings>
                """;
        String jar = "jar:/usr/share/maven/lib/maven-model-builder-*.jar";
        String version = "Apache Maven 3.8.7\nMaven home: /usr/share/maven\nJava version: 25\n";

        assertThat(detect(Map.of("mvn --version", version, jar, superPom)))
                .containsExactly("maven https://maven.example.com/maven2/");
        assertThat(detect(Map.of("mvn --version", version, jar, superPom, ".m2/settings.xml", settings.formatted("*"))))
                .containsExactly("maven https://mirror.example.com/repo/");
        assertThat(detect(Map.of("mvn --version", version, jar, superPom, ".m2/settings.xml", settings.formatted("x"))))
                .hasSize(2);
    }

    @Test
    void readsNothingFromOutsideIntoXml() {
        String hostile = """
                <!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]>
                <settings><mirror><url>https://a.example.com/&x;</url></mirror></settings>
                """;

        assertThat(detect(Map.of(".m2/settings.xml", hostile))).noneMatch(line -> line.contains("root"));
    }

    @Test
    void readsCargosConfigurationAndTheIndexesItUsed() {
        assertThat(detect(Map.of(
                        ".cargo/config.toml",
                        """
                        [source.crates-io]
                        replace-with = "mirror"
                        [source.mirror]
                        registry = "sparse+https://cargo.example.com/index/"
                        [registries.team]
                        index = "https://team.example.com/git/index"
                        """,
                        ".cargo/registry/index/used.example.com-6f17d22bba15001f/config.json",
                        "{\"dl\": \"https://static.example.com/crates/{crate}\", \"api\": \"https://x.example.com\"}")))
                .containsExactly(
                        "cargo https://team.example.com/git/index/",
                        "cargo https://cargo.example.com/index/",
                        "cargo https://used.example.com/",
                        "cargo https://static.example.com/crates/");
    }

    @Test
    void aHostWithoutPackageManagersHasNoRegistries() {
        assertThat(detect(Map.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "undefined",
                "file:///opt/simple",
                "/opt",
                "https://",
                "https://a b/",
                "ftp://x.example/",
                "https://x.example/a\"b/",
                "https://x.example/%22/",
                "https://[::1]/"
            })
    void takesNothingButPlainAddresses(String url) {
        assertThat(Registry.parse("npm", url)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "https://user:TOPSECRET@x.example/a, https://x.example/a/",
        "HTTPS://X.Example:8443, https://x.example:8443/",
        "http://x.example:80/?token=TOPSECRET, http://x.example/"
    })
    void keepsNoCredentials(String url, String expected) {
        assertThat(Registry.parse("npm", url).orElseThrow().url()).isEqualTo(expected);
    }

    @Test
    void remembersRegistriesInAFile() {
        List<Registry> registries = List.of(
                Registry.parse("npm", "https://npm.example.com:8443/team/").orElseThrow());

        assertThat(RegistryRules.read("registries.json", RegistryRules.write(registries))
                        .registries())
                .isEqualTo(registries);
        assertThat(RegistryRules.read("registries.json", "nonsense").problems()).hasSize(1);
    }

    private static List<String> detect(Map<String, String> answers) {
        return RegistryDetection.detect(new FakeHost(answers)).stream()
                .map(registry -> registry.client() + " " + registry.url())
                .toList();
    }
}
