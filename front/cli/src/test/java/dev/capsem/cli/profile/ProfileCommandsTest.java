package dev.capsem.cli.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.profiles.corp.Minisign;
import dev.capsem.profiles.corp.VerifyingKey;
import dev.capsem.testkit.service.FakeService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileCommandsTest {
    @TempDir
    Path directory;

    private final CliHarness cli = new CliHarness();
    private final FakeService service = cli.service;

    @BeforeEach
    void inADirectory() {
        cli.directory = directory;
    }

    @Test
    void listMarksTheOneInUse() {
        service.answers.put("GET /profiles", """
                {"chosen":"coding","profiles":[
                 {"id":"coding","name":"Coding","description":"what agents need","source":"built-in","problems":[]},
                 {"id":"mine","name":"Mine","description":"","source":"user",
                  "problems":[{"file":"mine.toml","line":3,"column":1,"message":"unknown key"}]}]}
                """);

        assertThat(cli.run("profiles", "list").out()).isEqualTo("""
                   PROFILE  FROM      DESCRIPTION
                *  coding   built-in  what agents need
                   mine     user
                problem in mine: mine.toml:3:1: unknown key
                """);
        assertThat(cli.run("profiles", "list", "-q").out()).isEqualTo("coding\nmine\n");
    }

    @Test
    void showTellsWhoseEachEntryIs() {
        service.answers.put("GET /profiles", "{\"chosen\":\"coding\",\"profiles\":[]}");
        service.answers.put("GET /profiles/coding?effective=true", """
                {"profile_id":"coding","name":"Coding","layers":["built-in","corp"],
                 "editable":{"vm":true,"mcpServers":false},"entries":[
                 {"path":"vm.cpus","value":"2","provenance":{"layer":"corp","file":"acme.toml","line":30,"locked":true}},
                 {"path":"security.rules.http.x","rule":{"text":"on = \\"http.request\\"\\n"},
                  "provenance":{"layer":"built-in","file":"coding.toml","line":3,"locked":false}}]}
                """);

        assertThat(cli.run("profiles", "show", "--effective").out()).isEqualTo("""
                profile         coding
                name            Coding
                you may change  vm
                layers          built-in, corp

                vm.cpus  corp, acme.toml:30, locked
                  2

                security.rules.http.x  built-in, coding.toml:3
                  on = "http.request"
                """);
    }

    @Test
    void useSaysWhatItIsFor() {
        service.answers.put("POST /profiles/use", "{\"chosen\":\"observe\"}");

        assertThat(cli.run("profiles", "use", "observe").out()).isEqualTo("new sandboxes use observe\n");
    }

    @Test
    void validatePointsAtMistakes() throws IOException {
        Files.writeString(directory.resolve("p.toml"), "schema = 3\n");
        service.answers.put(
                "POST /profiles/validate",
                "{\"ok\":false,\"problems\":[{\"file\":\"p.toml\",\"line\":1,\"column\":10,\"message\":\"not text\"}]}");

        Outcome outcome = cli.run("profiles", "validate", "p.toml");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEqualTo("""
                p.toml:1:10: not text
                  1 │ schema = 3
                    │          ^
                ✗ p.toml: 1 problem
                """);
    }

    @Test
    void diffShowsBothSides() {
        service.answers.put("GET /profiles/diff?from=a&to=b", """
                {"from":"a","to":"b","changes":[{"path":"vm.cpus","kind":"changed","before":{"path":"vm.cpus","value":"2"},
                 "after":{"path":"vm.cpus","value":"4"}}]}
                """);

        assertThat(cli.run("profiles", "diff", "a", "b").out()).isEqualTo("vm.cpus: changed\n  - 2\n  + 4\n");
    }

    @Test
    void whatIsSignedVerifiesWithThePublicKeyAndTheServiceSeesNothing() throws IOException {
        byte[] payload = "schema = \"capsem.profile.v2\"\n".getBytes(StandardCharsets.UTF_8);
        Files.write(directory.resolve("acme.toml"), payload);

        assertThat(cli.run("profiles", "keygen", "acme").exitCode()).isZero();
        assertThat(cli.run("profiles", "sign", "acme.toml", "--key", "acme.key").exitCode())
                .isZero();

        VerifyingKey key = VerifyingKey.parse(Files.readString(directory.resolve("acme.pub")))
                .orElseThrow();
        String signature = Files.readString(directory.resolve("acme.toml.minisig"));
        assertThat(Minisign.verify(payload, signature, List.of(key)))
                .isInstanceOfSatisfying(
                        Minisign.Verification.Trusted.class,
                        trusted -> assertThat(trusted.comment()).contains("file:acme.toml"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("acme.key"))))
                .isEqualTo("rw-------");
        assertThat(service.calls).isEmpty();
    }

    @Test
    void aKeyIsNeverOverwritten() {
        cli.run("profiles", "keygen", "acme");

        assertThat(cli.run("profiles", "keygen", "acme").exitCode()).isEqualTo(2);
    }

    @Test
    void signingWithSomethingElseIsRefused() throws IOException {
        Files.writeString(directory.resolve("acme.toml"), "x");
        Files.writeString(directory.resolve("no.key"), "not a key");

        Outcome outcome = cli.run("profiles", "sign", "acme.toml", "--key", "no.key");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("not a minisign secret key");
        assertThat(directory.resolve("acme.toml.minisig")).doesNotExist();
    }

    @Test
    void aSecretComesFromStdinAndIsNotShown() {
        cli.stdin = "s3cret\n".getBytes(StandardCharsets.UTF_8);
        service.answers.put("PUT /secrets/docs-token", "{\"name\":\"docs-token\",\"set\":true}");

        Outcome outcome = cli.run("secret", "set", "docs-token");

        assertThat(outcome).isEqualTo(new Outcome(0, "kept docs-token\n", ""));
        assertThat(service.bodies.getFirst().asString()).isEqualTo("s3cret");
    }

    @Test
    void aSecretIsNoArgument() {
        Outcome outcome = cli.run("secret", "set", "docs-token", "s3cret");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(service.calls).isEmpty();
    }

    @Test
    void anEmptySecretIsAMistake() {
        cli.stdin = "\n".getBytes(StandardCharsets.UTF_8);

        assertThat(cli.run("secret", "set", "docs-token").exitCode()).isEqualTo(2);
        assertThat(service.calls).isEmpty();
    }

    @Test
    void aSecretsNameIsCheckedBeforeItsValueIsAskedFor() {
        Outcome outcome = cli.run("secret", "set", "Bad Name");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err())
                .contains("\"Bad Name\" is no name for a secret")
                .contains("lower-case letters");
        assertThat(service.calls).isEmpty();
    }

    @Test
    void secretsAreListedByNameAndForgotten() {
        service.answers.put("GET /secrets", "{\"secrets\":[{\"name\":\"a\"},{\"name\":\"b\"}]}");
        service.answers.put("DELETE /secrets/a", "{\"name\":\"a\",\"removed\":true}");

        assertThat(cli.run("secret", "list", "-q").out()).isEqualTo("a\nb\n");
        assertThat(cli.run("secret", "rm", "a").out()).isEqualTo("forgot a\n");
        assertThat(cli.run("secret", "remove", "a").exitCode()).isZero();
    }

    @Test
    void reloadNamesThoseThatKeepTheirRules() {
        service.answers.put("POST /reload-config", """
                {"success":false,"reloaded":1,"failed_session_count":1,"failed_session_ids":["lab"],
                 "failures":[{"session_id":"lab","message":"coding.toml:3:1: no"}],"message":"1 failed"}
                """);

        Outcome outcome = cli.run("reload");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEqualTo("""
                ✓ 1 sandbox reloaded
                ✗ lab: coding.toml:3:1: no
                  these keep the rules they had
                """);
    }
}
