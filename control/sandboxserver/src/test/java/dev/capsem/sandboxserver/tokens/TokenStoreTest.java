package dev.capsem.sandboxserver.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.service.state.StateFile;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenStoreTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Set<String> DEFAULT = Set.of("default");

    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    private TokenStore open() {
        return TokenStore.open(
                new StateFile(directory.resolve("tokens.json")), Clock.fixed(NOW, ZoneOffset.UTC), new SecureRandom());
    }

    private static TokenStore.Created create(TokenStore store, String name) {
        return store.create(name, Set.of(Scope.READ), DEFAULT, Set.of(), Optional.of(Duration.ofHours(1)))
                .orElseThrow();
    }

    private static Token token(Set<Scope> scopes, Set<String> sandboxes, Optional<Instant> end) {
        return new Token("0a", "n", scopes, DEFAULT, sandboxes, NOW, end, "ab");
    }

    @Test
    void findsATokenByItsSecretAndByNothingElse() {
        TokenStore store = open();
        TokenStore.Created first = create(store, "first");
        TokenStore.Created second = create(store, "second");
        TokenStore.Created third = create(store, "third");

        assertThat(store.find(first.secret())).contains(first.token());
        assertThat(store.find(second.secret())).contains(second.token());
        assertThat(store.find(third.secret())).contains(third.token());
        assertThat(store.find(new Bearer(first.token().hash()))).isEmpty();
        assertThat(store.find(new Bearer(first.secret().reveal() + "0"))).isEmpty();
        assertThat(store.find(new Bearer(""))).isEmpty();
    }

    @Test
    void secretsHave256RandomBitsAndAreNeverShown() {
        TokenStore store = open();
        TokenStore.Created first = create(store, "a");
        TokenStore.Created second = create(store, "b");

        assertThat(first.secret().reveal()).matches("capsem_[0-9a-f]{64}").doesNotContain("0".repeat(32));
        assertThat(first.secret().reveal()).isNotEqualTo(second.secret().reveal());
        assertThat(first.token().id())
                .matches("[0-9a-f]{8}")
                .isNotEqualTo(second.token().id());
        assertThat(first.secret()).hasToString("***");
    }

    @Test
    void keepsHashesAndFindsTheTokensAgainAfterARestart() throws IOException {
        TokenStore store = open();
        TokenStore.Created bounded = create(store, "bounded");
        TokenStore.Created endless = store.create(
                        "endless",
                        Set.of(Scope.EXECUTE, Scope.LIFECYCLE),
                        Set.of("a", "b"),
                        Set.of("s1"),
                        Optional.empty())
                .orElseThrow();

        TokenStore again = open();

        assertThat(again.all())
                .containsExactly(bounded.token(), endless.token())
                .isEqualTo(store.all());
        assertThat(again.find(endless.secret())).contains(endless.token());
        assertThat(bounded.token().createdAt()).isEqualTo(NOW);
        assertThat(bounded.token().expiresAt()).contains(NOW.plus(Duration.ofHours(1)));
        assertThat(Files.readString(directory.resolve("tokens.json")))
                .doesNotContain(bounded.secret().reveal())
                .doesNotContain("expired")
                .contains(bounded.token().hash());
    }

    @Test
    void revokesByIdOrNameAndForGood() {
        TokenStore store = open();
        TokenStore.Created first = create(store, "first");
        create(store, "twin");
        create(store, "twin");

        assertThat(store.revoke("nobody")).isZero();
        assertThat(store.revoke("twin")).isEqualTo(2);
        assertThat(store.all()).containsExactly(first.token());
        assertThat(store.revoke(first.token().id())).isEqualTo(1);

        assertThat(store.find(first.secret())).isEmpty();
        assertThat(open().all()).isEmpty();
    }

    @Test
    void thereAreAtMost256() {
        TokenStore store = open();
        for (int i = 0; i < TokenStore.TOKENS_MAX; i++) {
            create(store, "t");
        }

        assertThat(store.create("t", Set.of(), DEFAULT, Set.of(), Optional.empty()))
                .isEmpty();
        assertThat(store.all()).hasSize(TokenStore.TOKENS_MAX);
    }

    @Test
    void ofADamagedFileNoTokenCounts() throws IOException {
        TokenStore store = open();
        TokenStore.Created first = create(store, "first");
        Path file = directory.resolve("tokens.json");
        Files.writeString(file, Files.readString(file).replace("\"hash\"", "\"hush\""));

        assertThat(open().find(first.secret())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "READ,      READ,      true",
        "READ,      EXECUTE,   false",
        "EXECUTE,   READ,      false",
        "LIFECYCLE, EXECUTE,   false",
        "ADMIN,     READ,      true",
        "ADMIN,     EXECUTE,   true",
        "ADMIN,     LIFECYCLE, true",
        "ADMIN,     ADMIN,     true",
        "LIFECYCLE, ADMIN,     false",
    })
    void aScopeAllowsItselfAndAdminAllowsAll(Scope given, Scope wanted, boolean expected) {
        Token token = token(Set.of(given), Set.of(), Optional.empty());

        assertThat(token.allows(wanted)).isEqualTo(expected);
        assertThat(token.isForAll()).isEqualTo(given == Scope.ADMIN);
    }

    @Test
    void namedSandboxesAreTheOnlyOnes() {
        assertThat(token(Set.of(), Set.of(), Optional.empty()).isForSandbox("a"))
                .isTrue();
        assertThat(token(Set.of(), Set.of("a"), Optional.empty()).isForSandbox("a"))
                .isTrue();
        assertThat(token(Set.of(), Set.of("a"), Optional.empty()).isForSandbox("b"))
                .isFalse();
    }

    @Test
    void endsAtItsInstant() {
        Token token = token(Set.of(), Set.of(), Optional.of(NOW));

        assertThat(token.isExpired(NOW.minusNanos(1))).isFalse();
        assertThat(token.isExpired(NOW)).isTrue();
        assertThat(token(Set.of(), Set.of(), Optional.empty()).isExpired(Instant.MAX))
                .isFalse();
    }

    @Test
    void showsEverythingButTheHash() {
        Token token = token(Set.of(Scope.READ, Scope.ADMIN), Set.of("s2", "s1"), Optional.of(NOW));

        assertThat(Json.text(token.toJson(NOW)))
                .isEqualTo("{\"id\":\"0a\",\"name\":\"n\",\"scopes\":[\"read\",\"admin\"],\"profiles\":[\"default\"],"
                        + "\"sandboxes\":[\"s1\",\"s2\"],\"created_at\":\"2026-01-01T00:00:00Z\","
                        + "\"expires_at\":\"2026-01-01T00:00:00Z\",\"expired\":true}");
        assertThat(token(Set.of(), Set.of(), Optional.empty()).toJson(NOW).has("sandboxes"))
                .isFalse();
    }

    @Test
    void aTokenFromBeforeProfilesIsForTheChosenOne() {
        var json = token(Set.of(Scope.READ), Set.of(), Optional.empty()).toFile();
        json.remove("profiles");

        assertThat(Token.fromFile(JsonMembers.of(json, "")).profiles()).isEqualTo(DEFAULT);
    }

    @Test
    void aHashIsHex() {
        assertThatThrownBy(() -> new Token("0a", "n", Set.of(), DEFAULT, Set.of(), NOW, Optional.empty(), "xy"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void scopesHaveTheNamesOfTheApi() {
        assertThat(Scope.named("execute")).contains(Scope.EXECUTE);
        assertThat(Scope.named("EXECUTE")).isEmpty();
        assertThat(Scope.named("")).isEmpty();
    }
}
