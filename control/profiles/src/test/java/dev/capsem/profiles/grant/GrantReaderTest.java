package dev.capsem.profiles.grant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.SecretPlace;
import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrantReaderTest {
    private static final String HEAD = "schema = \"capsem.profile.v2\"\nid = \"mine\"\n";
    private static final String KEY = """
            [[grant]]
            name = "anthropic"
            secret = "${secret:anthropic-key}"
            hosts = ["api.anthropic.com", "*.models.example.com"]
            places = ["header:X-Api-Key", "body:/auth/key"]
            methods = ["POST"]
            paths = ["/v1/*"]
            env = "ANTHROPIC_API_KEY"
            shape = "sk-ant-api03-"
            occurrences = 2
            """;

    @Test
    void readsEverythingOfAGrant() {
        ProfileGrant grant = read(KEY);

        assertThat(grant.name()).isEqualTo("anthropic");
        assertThat(grant.source().text()).isEqualTo("${secret:anthropic-key}");
        assertThat(grant.grant().hosts()).containsExactly("api.anthropic.com", "*.models.example.com");
        assertThat(grant.grant().places())
                .extracting(SecretPlace::text)
                .containsExactly("header:x-api-key", "body:/auth/key");
        assertThat(grant.grant().methods()).containsExactly("POST");
        assertThat(grant.grant().paths()).containsExactly("/v1/*");
        assertThat(grant.variable()).contains("ANTHROPIC_API_KEY");
        assertThat(grant.shape()).contains("sk-ant-api03-");
        assertThat(grant.grant().occurrences()).isEqualTo(2);
        assertThat(grant.isSet()).isFalse();
    }

    @Test
    void readsAGrantThatTheDoorSets() {
        ProfileGrant grant = read("""
                [[grant]]
                name = "docs"
                secret = "${env:DOCS_TOKEN}"
                hosts = ["docs.example.com"]
                places = ["header:authorization"]
                mode = "set"
                format = "Bearer {}"
                """);

        assertThat(grant.isSet()).isTrue();
        assertThat(grant.grant().format()).contains("Bearer {}");
        assertThat(grant.variable()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "secret = \"${secret:a-key}\"",
                "secret = \"${env:A_KEY}\"",
                "secret = \"${file:/home/me/key}\"",
                "secret = \"${keyring:github.com/me}\"",
                "secret = { program = [\"op\", \"read\", \"op://team/item/field\"] }",
                "secret = { vault = \"https://vault.example.com:8200\", path = \"secret/data/ci\", field = \"token\","
                        + " token = \"${file:/home/me/.vault-token}\" }",
                "secret = { oauth = \"https://id.example.com/oauth/token\", client_id = \"lab\","
                        + " client_secret = \"${secret:lab}\", scope = \"read write\" }"
            })
    void whatIsWrittenIsReadAgain(String secret) {
        ProfileGrant grant = read(KEY.replace("secret = \"${secret:anthropic-key}\"", secret)
                .replace("env = ", "file = \"/root/.netrc\"\ntext = \"machine a\\npassword {}\\n\"\nenv = "));

        assertThat(read(GrantToml.write(grant))).isEqualTo(grant);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "name = \"anthropic\" | name = \"My Key\" | 4 | a grant has a name of",
                "secret = \"${secret:anthropic-key}\" | secret = \"sk-ant-real\" | 5 | names a credential and never is one",
                "secret = \"${secret:anthropic-key}\" | secret = { oauth = \"http://id.example.com/token\", client_id = \"a\", client_secret = \"${env:T}\" } | 5 | oauth is the https",
                "secret = \"${secret:anthropic-key}\" | secret = { vault = \"http://vault.example.com\", path = \"a\", field = \"b\", token = \"${env:T}\" } | 5 | vault is https",
                "secret = \"${secret:anthropic-key}\" | secret = { program = [] } | 5 | program is a list",
                "\"api.anthropic.com\", | \"*\", | 6 | would send the credential everywhere",
                "\"api.anthropic.com\", | \"*.com\", | 6 | would send the credential everywhere",
                "\"api.anthropic.com\", | \"API.example.com\", | 6 | a host is a name in lower case",
                "\"body:/auth/key\" | \"body\" | 7 | name the string with a JSON pointer",
                "\"body:/auth/key\" | \"header:host\" | 7 | it cannot hold a secret",
                "\"body:/auth/key\" | \"header:x-api-key\" | 7 | one place stands there twice",
                "methods = [\"POST\"] | methods = [\"post\"] | 8 | a method is written in capitals",
                "paths = [\"/v1/*\"] | paths = [\"v1\"] | 9 | a path begins with /",
                "env = \"ANTHROPIC_API_KEY\" | env = \"LD_PRELOAD\" | 10 | is refused",
                "env = \"ANTHROPIC_API_KEY\" | file = \"/etc/key\" | 10 | file is a path below /root",
                "env = \"ANTHROPIC_API_KEY\" | file = \"/root/../etc/key\" | 10 | file is a path below /root",
                "env = \"ANTHROPIC_API_KEY\" | paths_ = [] | 10 | unknown key",
                "shape = \"sk-ant-api03-\" | shape = \"a b\" | 11 | shape is what the stand-in begins with",
                "shape = \"sk-ant-api03-\" | mode = \"set\" | 7 | mode \"set\" writes exactly one place",
                "shape = \"sk-ant-api03-\" | format = \"{}\" | 11 | format is for mode \"set\"",
                "occurrences = 2 | occurrences = 0 | 12 | occurrences is from 1",
            })
    void saysWhatIsWrongAndWhere(String part, String instead, int line, String message) {
        assertThat(problems(KEY.replace(part, instead))).anySatisfy(problem -> {
            assertThat(problem.place().line()).isEqualTo(line);
            assertThat(problem.message()).contains(message);
        });
    }

    @Test
    void doesNotRepeatACredentialThatWasWrittenByMistake() {
        assertThat(problems(KEY.replace("${secret:anthropic-key}", "sk-ant-value"))
                        .toString())
                .doesNotContain("sk-ant-value");
    }

    @Test
    void twoGrantsNeedTwoNames() {
        assertThat(problems(KEY + KEY)).singleElement().asString().contains("two grants are called anthropic");
    }

    private static ProfileGrant read(String more) {
        Reading reading = reading(more);
        assertThat(reading.problems()).isEmpty();
        return ((Reading.Valid) reading)
                .profile().entries().stream()
                        .flatMap(entry -> entry instanceof GrantEntry grant
                                ? Optional.of(grant.grant()).stream()
                                : Optional.<ProfileGrant>empty().stream())
                        .findFirst()
                        .orElseThrow();
    }

    private static List<Problem> problems(String more) {
        return reading(more).problems();
    }

    private static Reading reading(String more) {
        return ProfileReader.read(new SourceText("mine.toml", Layer.USER, HEAD + more));
    }
}
