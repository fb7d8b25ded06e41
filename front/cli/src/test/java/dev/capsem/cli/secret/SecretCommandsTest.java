package dev.capsem.cli.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.testkit.service.FakeService;
import org.junit.jupiter.api.Test;

class SecretCommandsTest {
    private final CliHarness cli = new CliHarness();
    private final FakeService service = cli.service;

    @Test
    void listShowsGrantsAndHowTheStoreIsKept() {
        service.answers.put("GET /secrets", """
                {"secrets":[{"name":"anthropic","set_at":"2026-01-31T12:00:00Z","grants":["anthropic"]}],
                 "grants":[{"name":"anthropic","secret":"${secret:anthropic}","hosts":["api.anthropic.com"],
                  "places":["header:x-api-key"],"mode":"placeholder","env":"ANTHROPIC_API_KEY"},
                  {"name":"api","secret":{"program":["op","read","x"]},"hosts":["api.example.com"],
                  "places":["basic"],"mode":"set"}],
                 "encrypted":true,"key":"file"}
                """);

        Outcome outcome = cli.run("secret", "list");

        assertThat(outcome.out()).isEqualTo("""
                NAME       SET AT                GRANTS
                anthropic  2026-01-31T12:00:00Z  anthropic
                GRANT      FROM                 HOSTS              PLACES            INSIDE
                anthropic  ${secret:anthropic}  api.anthropic.com  header:x-api-key  ANTHROPIC_API_KEY
                api        program or vault     api.example.com    basic             nothing
                """);
        assertThat(outcome.err()).contains("encrypted; the key is in secrets.key, which only you can read");
    }

    @Test
    void aKnownServiceNeedsItsNameOnly() {
        service.answers.put("POST /grants", "{\"profile_id\":\"coding\",\"grant\":{},\"sandboxes\":1}");

        Outcome outcome = cli.run("secret", "grant", "anthropic");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).isEqualTo("granted anthropic in profile coding\n");
        assertThat(service.bodies.getFirst().toString())
                .isEqualTo("{\"name\":\"anthropic\",\"secret\":\"${secret:anthropic}\","
                        + "\"hosts\":[\"api.anthropic.com\"],\"places\":[\"header:x-api-key\",\"header:authorization\"],"
                        + "\"mode\":\"placeholder\",\"env\":\"ANTHROPIC_API_KEY\"}");
    }

    @Test
    void everythingElseIsSaid() {
        service.answers.put("POST /grants?profile=mine", "{\"profile_id\":\"mine\",\"grant\":{},\"sandboxes\":0}");

        Outcome outcome = cli.run(
                "secret",
                "grant",
                "api",
                "--host",
                "api.example.com",
                "--place",
                "header:authorization",
                "--set",
                "--format",
                "Bearer {}",
                "--program",
                "op",
                "--program",
                "read",
                "--method",
                "POST",
                "--path",
                "/v1/*",
                "--profile",
                "mine");

        assertThat(outcome.exitCode()).isZero();
        assertThat(service.bodies.getFirst().toString())
                .isEqualTo("{\"name\":\"api\",\"secret\":{\"program\":[\"op\",\"read\"]},"
                        + "\"hosts\":[\"api.example.com\"],\"places\":[\"header:authorization\"],\"methods\":[\"POST\"],"
                        + "\"paths\":[\"/v1/*\"],\"mode\":\"set\",\"format\":\"Bearer {}\"}");
    }

    @Test
    void anUnknownServiceNeedsAHost() {
        Outcome outcome = cli.run("secret", "grant", "docs");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("which hosts may get it?").contains("anthropic, gemini, github");
        assertThat(service.calls).isEmpty();
    }

    @Test
    void testSaysWhatIsInTheWay() {
        service.answers.put("POST /grants/docs/test", """
                {"value":"missing","reason":"there is no secret docs; run: capsem secret set docs",
                 "covers_host":true,"covers_request":false,"covers_place":true,"ok":false}
                """);

        Outcome outcome = cli.run("secret", "test", "docs", "https://docs.example.com/a?b=c", "--method", "post");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEqualTo("""
                ✗ value: there is no secret docs; run: capsem secret set docs
                ✓ host: this grant is for that host
                ✗ request: its method or path is not covered
                ✓ place: it may stand there
                """);
        assertThat(service.bodies.getFirst().toString())
                .isEqualTo("{\"host\":\"docs.example.com\",\"path\":\"/a\",\"method\":\"POST\"}");
    }

    @Test
    void whyShowsUsesAndRefusals() {
        service.answers.put("POST /inspect/lab", """
                {"columns":["grant_name","host","place","uses","last"],
                 "rows":[["anthropic","api.anthropic.com","header:x-api-key",3,"2026-01-31T12:00:00Z"]]}
                """);

        assertThat(cli.run("secret", "why", "lab", "--json").out()).contains("\"uses\":[{", "\"refusals\":[{");
        assertThat(cli.run("secret", "why", "lab").out()).startsWith("""
                        GRANT      HOST               PLACE             USES  LAST
                        anthropic  api.anthropic.com  header:x-api-key  3     2026-01-31T12:00:00Z
                        """);
    }

    @Test
    void revokeAndKeySayWhatHolds() {
        service.answers.put("DELETE /grants/anthropic", "{\"revoked\":true}");
        service.answers.put("POST /secrets/key", "{\"encrypted\":true,\"key\":\"keyring\"}");

        assertThat(cli.run("secret", "revoke", "anthropic").out()).isEqualTo("revoked anthropic\n");
        assertThat(cli.run("secret", "key", "keyring").out())
                .isEqualTo("the key of your secrets is in the keyring now\n");
    }
}
