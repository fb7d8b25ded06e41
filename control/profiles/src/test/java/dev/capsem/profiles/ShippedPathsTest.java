package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.Decision;
import dev.capsem.profiles.io.BuiltInProfiles;
import dev.capsem.profiles.registry.Registry;
import dev.capsem.profiles.registry.RegistryRules;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.security.SecurityEngine;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// No spelling of a path gets past the rules that `coding` has about paths, and ordinary clients notice nothing.
class ShippedPathsTest {
    private static final List<String> WAYS_UP = List.of(
            "..%2f",
            "..%2F",
            "%2e%2e%2f",
            ".%2e%2f",
            "/../",
            "%2f../",
            "x%2f..%2f..%2f",
            "..;/",
            "..;a=b/",
            "..%3b/",
            "..\\",
            "..%5c",
            "%252e%252e/",
            "%252e%252e%252f",
            "..%c0%af",
            "%c0%ae%c0%ae/",
            "..%ef%bc%8f",
            "..%u002f");

    private static final SecurityEngine ENGINE = Engine.of(((ProfileResolution.Resolved) new ProfileLibrary(
                            BuiltInProfiles.load(),
                            Map.of(),
                            CorpLayer.NONE,
                            new DetectedEntries(
                                    List.of(),
                                    RegistryRules.of(
                                            List.of(Registry.parse("npm", "https://npm.example.com/team/")
                                                    .orElseThrow()),
                                            "registries"),
                                    List.of()),
                            ProfileId.DEFAULT)
                    .resolve(ProfileId.DEFAULT))
            .profile()
            .ruleSources());

    private static Decision decide(String method, String host, String path) {
        return BuiltInProfilesTest.decide(ENGINE, method, "https", host, 443, path.replace("\\", "\\\\"));
    }

    static Stream<Arguments> spellings() {
        return Stream.of(
                        List.of("POST", "api.anthropic.com", "/v1/messages/", "files"),
                        List.of("GET", "api.openai.com", "/v1/models/", "files"),
                        List.of("POST", "generativelanguage.googleapis.com", "/v1beta/", "upload/v1beta/files"),
                        List.of("GET", "nodejs.org", "/dist/", "en/blog"),
                        List.of("GET", "npm.example.com", "/team/", "other/left-pad"))
                .flatMap(place -> WAYS_UP.stream()
                        .map(way -> Arguments.of(place.get(0), place.get(1), place.get(2) + way + place.get(3))));
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void noSpellingLeadsOutOfWhatIsAllowed(String method, String host, String path) {
        assertThat(decide(method, host, path)).as(path).isNotEqualTo(Decision.ALLOW);
    }

    @ParameterizedTest
    @CsvSource({
        "POST,/o/r.git/git-receive-pack;/git-upload-pack",
        "POST,/o/r.git/git-receive-pack%00/git-upload-pack",
        "POST,/o/r.git/git-receive-pack%3f/git-upload-pack",
        "POST,/o/r.git/git-receive-pack%23/git-upload-pack",
        "POST,/o/r.git/git-receive-pack%3b/git-upload-pack",
        "POST,/o/r.git/git-receive-pack%2500/git-upload-pack",
        "POST,/o/r.git/git-upload-pack/..%2fgit-receive-pack",
        "GET,/o/r.git/info/refs%3fservice=git-receive-pack"
    })
    void noSpellingPushesUnasked(String method, String path) {
        assertThat(decide(method, "github.com", path)).as(path).isNotEqualTo(Decision.ALLOW);
    }

    @ParameterizedTest
    @CsvSource({
        "POST,api.anthropic.com,/v1/messages",
        "POST,api.anthropic.com,/v1/messages/batches",
        "GET,api.openai.com,/v1/models/ft%3Agpt-4o%3Aacme",
        "POST,generativelanguage.googleapis.com,/v1beta/models/gemini-2.5-pro:streamGenerateContent",
        "POST,github.com,/o/r.git/git-upload-pack",
        "GET,github.com,/o/r/tree/feature%2Fx",
        "GET,api.github.com,/repos/o/r/compare/main...feature%2Fx",
        "GET,api.github.com,/repos/o/r/contents/a%20b/C%23%3B.md",
        "GET,raw.githubusercontent.com,/o/r/main//a;b/%EF%BC%8F.md",
        "GET,gitlab.com,/api/v4/projects/a%2Fb/repository/files/src%2Fmain.c/raw",
        "GET,npm.example.com,/team/@scope%2fname",
        "GET,npm.example.com,/team/@scope%2Fname/-/name-1.0.0.tgz",
        "GET,npm.example.com,/team//left-pad",
        "GET,nodejs.org,/dist/v22.0.0/node-v22.0.0-headers.tar.gz"
    })
    void ordinaryClientsNoticeNothing(String method, String host, String path) {
        assertThat(decide(method, host, path)).as(path).isEqualTo(Decision.ALLOW);
    }
}
