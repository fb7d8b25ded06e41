package dev.capsem.network.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.Headers;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
    @Test
    void keepsHarmlessHeadersAndHashesTheOthers() {
        String kept = Redaction.headers(Headers.of(
                        "Host", "a.example", "Authorization", "Bearer abcdefghijkl", "Cookie", "a=b", "Accept", "*/*"))
                .orElseThrow();

        assertThat(kept)
                .contains("host: a.example\n", "accept: */*\n")
                .containsPattern("authorization: hash:[0-9a-f]{12}\\n")
                .containsPattern("cookie: hash:[0-9a-f]{12}\\n")
                .doesNotContain("abcdefghijkl");
        assertThat(Redaction.headers(Headers.NONE)).isEmpty();
    }

    @Test
    void keepsWhatClientsSayOfThemselves() {
        String kept = Redaction.headers(Headers.of(
                        "Accept-Encoding", "gzip, br",
                        "Connection", "keep-alive",
                        "anthropic-version", "2023-06-01",
                        "X-Stainless-Runtime", "node",
                        "X-Stainless-Lang", "sk-ant-abcdefghijklmnop",
                        "x-api-key", "0123456789"))
                .orElseThrow();

        assertThat(kept)
                .contains(
                        "accept-encoding: gzip, br\n",
                        "connection: keep-alive\n",
                        "anthropic-version: 2023-06-01\n",
                        "x-stainless-runtime: node\n",
                        "x-stainless-lang: ***\n")
                .containsPattern("x-api-key: hash:[0-9a-f]{12}\n");
    }

    @Test
    void masksSecretsInQueries() {
        assertThat(Redaction.query("key=AIzaSyA&q=cats&access_token=t&page=2"))
                .isEqualTo("key=***&q=cats&access_token=***&page=2");
        assertThat(Redaction.query("x=sk-ant-api03-abcdefghijklmnop")).isEqualTo("x=***");
    }

    @Test
    void masksSecretsInBodies() {
        assertThat(Redaction.body(
                        "{\"password\": \"hunter2\", \"max_tokens\": \"5\", \"name\": \"ann\"}",
                        Optional.of("application/json")))
                .isEqualTo("{\"password\": \"***\", \"max_tokens\": \"5\", \"name\": \"ann\"}");
        assertThat(Redaction.body("user=ann&password=p%40ss", Optional.of("application/x-www-form-urlencoded")))
                .isEqualTo("user=ann&password=***");
        assertThat(Redaction.body("see ghp_0123456789abcdef0123 and eyJhbGciOi.eyJzdWIiOi.c2ln", Optional.empty()))
                .isEqualTo("see *** and ***");
        assertThat(Redaction.body("a value cut in the middle: {\"token\": \"abc", Optional.empty()))
                .doesNotContain("abc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sk-ant-api03-abcdefghijklmnop",
                "AIzaSyA0123456789012345678901234567890",
                "ghp_0123456789abcdef0123",
                "github_pat_0123456789abcdef0123",
                "glpat-0123456789abcdef0123",
                "npm_0123456789abcdef0123",
                "pypi-0123456789abcdef0123",
                "hf_0123456789abcdef0123",
                "xoxb-123456789012",
                "AKIA0123456789ABCDEF",
                "ASIA0123456789ABCDEF",
                "eyJhbGciOi.eyJzdWIiOi.c2ln",
                "Bearer abcdefghijkl",
                "BASIC abcdefghijkl",
                "basic abcdefghijkl",
                "-----BEGIN RSA PRIVATE KEY-----MIIB",
                "-----BEGIN PRIVATE KEY-----\\nMIIB\\n"
            })
    void masksEveryShapeOfSecret(String secret) {
        assertThat(Redaction.mask(secret)).isEqualTo("***");
        assertThat(Redaction.mask("a, " + secret + ", (" + secret + ")")).isEqualTo("a, ***, (***)");
        assertThat(Redaction.mask(secret.substring(0, 5))).isEqualTo(secret.substring(0, 5));
    }

    @Test
    void keepsWordsThatOnlyContainASecretsBeginning() {
        String text = "task-0123456789abcdef anhf_0123456789abcdef0123 basically --- gh_ sk";

        assertThat(Redaction.mask(text)).isSameAs(text);
    }

    @Test
    void takesSecretsOutOfCommandLines() {
        assertThat(Redaction.command("curl -H 'authorization: Bearer short' -H 'x-api-key: k1' https://a.example/x"))
                .isEqualTo("curl -H 'authorization: ***' -H 'x-api-key: ***' https://a.example/x");
        assertThat(Redaction.command("env API_TOKEN=t1 tool --password=p1 --secret s1 --colour red"))
                .isEqualTo("env API_TOKEN=*** tool --password=*** --secret *** --colour red");
        assertThat(Redaction.command("git clone https://ann:pw1@git.example/x.git"))
                .isEqualTo("git clone https://ann:***@git.example/x.git");
        assertThat(Redaction.command("sh -c 'echo {\"api_key\": \"k2\"} sk-ant-api03-abcdefghijklmnop'"))
                .isEqualTo("sh -c 'echo {\"api_key\": \"***\"} ***'");
        assertThat(Redaction.command("make -j2 CC=gcc all")).isEqualTo("make -j2 CC=gcc all");
    }

    /// Each by its name alone: the value has no shape that would give it away.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "key",
                "access_token",
                "client_secret",
                "password",
                "pwd",
                "X-Signature",
                "credential",
                "sessionid",
                "auth",
                "client_assertion",
                "cookie",
                "id_jwt",
                "otp",
                "sig",
                "code",
                "pin",
                "X-Amz-Security",
                "x-amz-expires"
            })
    void whatANameInAQuerySaysIsSecretIsNotStored(String name) {
        assertThat(Redaction.query("q=cats&" + name + "=plain1&page=2")).isEqualTo("q=cats&" + name + "=***&page=2");
        assertThat(Redaction.query(name.toUpperCase(Locale.ROOT) + "=plain1")).doesNotContain("plain1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"q", "page", "encode", "pins", "postcode_area", "design"})
    void ordinaryNamesAreStored(String name) {
        assertThat(Redaction.query(name + "=plain1")).isEqualTo(name + "=plain1");
    }
}
