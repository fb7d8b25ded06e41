package dev.capsem.cli.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenCommandsTest {
    private static final String CREATED = """
            {"id":"390ad1d7","name":"token","scopes":["read"],"created_at":"2026-01-01T00:00:00Z",\
            "expired":false,"token":"capsem_secret"}""";

    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    private final CliHarness cli = new CliHarness();

    @Test
    void theTokenIsTheWholeOutput() {
        cli.service.answers.put("POST /tokens", CREATED);

        Outcome outcome = cli.run("token", "create", "--scope", "read,execute", "--ttl", "12h");

        assertThat(outcome.out()).isEqualTo("capsem_secret\n");
        assertThat(outcome.err()).contains("390ad1d7").doesNotContain("capsem_secret");
        assertThat(Json.text(cli.service.bodies.getFirst()))
                .isEqualTo("{\"scopes\":[\"read\",\"execute\"],\"ttl_seconds\":43200}");
    }

    @Test
    void aTokenNamesWhatItIsFor() {
        cli.service.answers.put("POST /tokens", CREATED);
        cli.service.answers.put(
                "GET /tokens",
                "{\"tokens\":["
                        + CREATED.replace(
                                "\"expired\":false,\"token\":\"capsem_secret\"",
                                "\"expired\":false,\"profiles\":[\"coding\"],\"sandboxes\":[\"a\",\"b\"]")
                        + "]}");

        cli.run("token", "create", "--scope", "read", "--profile", "coding,observe", "--sandbox", "a");

        assertThat(Json.text(cli.service.bodies.getFirst()))
                .isEqualTo("{\"scopes\":[\"read\"],\"profiles\":[\"coding\",\"observe\"],\"sandboxes\":[\"a\"]}");
        assertThat(cli.run("token", "list").out()).contains("a,b of coding");
    }

    @Test
    void loginWritesThePrivateFileAndShowsNothing() throws IOException {
        cli.service.answers.put("POST /tokens", CREATED);
        cli.environment.put("MITOS_CONFIG_DIR", directory.resolve("mitos").toString());
        Path file = directory.resolve("mitos/credentials.json");
        Files.createDirectories(directory.resolve("mitos"));
        Files.writeString(file, "{\"email\":\"a@example.test\",\"token\":\"old\"}");

        Outcome human = cli.run("token", "create", "--scope", "read", "--login");
        Outcome json = cli.run("token", "create", "--scope", "read", "--login", "--json");

        assertThat(human.out() + human.err() + json.out() + json.err())
                .contains(file.toString())
                .doesNotContain("capsem_secret");
        assertThat(Files.readString(file)).isEqualTo("{\"email\":\"a@example.test\",\"token\":\"capsem_secret\"}");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void withoutADirectoryOfItsOwnTheFileIsBelowHome() {
        cli.service.answers.put("POST /tokens", CREATED);
        cli.environment.put("HOME", directory.toString());

        assertThat(cli.run("token", "create", "--scope", "read", "--login").exitCode())
                .isZero();
        assertThat(directory.resolve(".config/mitos/credentials.json")).exists();
    }

    @Test
    void aScopeMustBeNamed() {
        assertThat(cli.run("token", "create").exitCode()).isEqualTo(2);
        assertThat(cli.service.calls).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"90s,90", "45m,2700", "12h,43200", "30d,2592000", "never,0"})
    void lifeIsReadAsPeopleWriteIt(String text, long seconds) {
        assertThat(TokenLife.parse(text).seconds()).isEqualTo(seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0h", "h", "-1h", "1y", "1 h", "9999999h"})
    void whatIsNoTimeIsRefused(String text) {
        assertThat(cli.run("token", "create", "--scope", "read", "--ttl", text).exitCode())
                .isEqualTo(2);
    }

    @Test
    void listAndRevokeNameTokensById() {
        cli.service.answers.put(
                "GET /tokens", "{\"tokens\":[" + CREATED.replace(",\"token\":\"capsem_secret\"", "") + "]}");
        cli.service.answers.put("DELETE /tokens/390ad1d7", "{\"id\":\"390ad1d7\",\"revoked\":1}");

        assertThat(cli.run("token", "list").out()).contains("390ad1d7", "read", "valid");
        assertThat(cli.run("token", "list", "-q").out()).isEqualTo("390ad1d7\n");
        assertThat(cli.run("token", "revoke", "390ad1d7").out()).isEqualTo("revoked 390ad1d7\n");
    }

    @Test
    void theGatewayAsksForTokensUnlessToldOtherwise() {
        cli.service.answers.put(
                "POST /gateway", "{\"enabled\":true,\"standalone\":false,\"url\":\"http://127.0.0.1:8080\"}");

        Outcome outcome = cli.run("gateway", "on", "--port", "8080");
        cli.run("gateway", "on", "--standalone");
        cli.run("gateway", "off");

        assertThat(outcome.out()).isEqualTo("the gateway serves at http://127.0.0.1:8080, with tokens\n");
        assertThat(cli.service.bodies.stream().map(Json::text))
                .containsExactly(
                        "{\"enabled\":true,\"standalone\":false,\"port\":8080}",
                        "{\"enabled\":true,\"standalone\":true}",
                        "{\"enabled\":false}");
    }
}
