package dev.capsem.profiles.io;

import dev.capsem.profiles.grant.GrantSource;
import dev.capsem.profiles.grant.GrantValues.Fetched;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/// Reads one field of a secret from a server that speaks Vault's HTTP API (versions 1 and 2 of its key-value store,
/// and engines that lease).
final class VaultReader {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int ANSWER_BYTES_MAX = 256 * 1024;

    /// A lease is renewed before it ends.
    private static final int LEASE_PART = 10;

    private final InstantSource clock;

    VaultReader(InstantSource clock) {
        this.clock = clock;
    }

    Fetched fetch(GrantSource.Vault vault, Secret token) {
        String where = "the Vault at " + vault.url().getHost();
        try (HttpClient client = HttpClient.newBuilder()
                .connectTimeout(PATIENCE)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build()) {
            HttpRequest request = HttpRequest.newBuilder(vault.url().resolve("/v1/" + vault.path()))
                    .timeout(PATIENCE)
                    .header("X-Vault-Token", token.reveal())
                    .header("X-Vault-Request", "true")
                    .build();
            HttpResponse<InputStream> answer = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                if (answer.statusCode() != 200) {
                    return new Fetched.Missing(where + " answered with status " + answer.statusCode());
                }
                byte[] bytes = body.readNBytes(ANSWER_BYTES_MAX);
                return field(new String(bytes, StandardCharsets.UTF_8), vault, where);
            }
        } catch (IOException e) {
            return new Fetched.Missing(where + " did not answer");
        } catch (IllegalArgumentException badToken) {
            return new Fetched.Missing("the token for " + where + " cannot be sent in a header");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Fetched.Missing("the wait for " + where + " was interrupted");
        }
    }

    private Fetched field(String text, GrantSource.Vault vault, String where) {
        Optional<JsonValue.Members> root = JsonReader.read(text) instanceof JsonReading.Parsed parsed
                ? members(Optional.of(parsed.document().root()))
                : Optional.empty();
        Optional<JsonValue.Members> data = root.flatMap(answer -> members(answer.get("data")));
        // The second version of the key-value store has one more level.
        Optional<JsonValue> value = data.flatMap(outer -> members(outer.get("data")))
                .flatMap(inner -> inner.get(vault.field()))
                .or(() -> data.flatMap(outer -> outer.get(vault.field())));
        if (value.isEmpty()
                || !(value.get() instanceof JsonValue.Text found)
                || found.value().isEmpty()
                || found.value().length() > Secret.CHARS_MAX) {
            return new Fetched.Missing(where + " has no text " + vault.field() + " at " + vault.path());
        }
        long lease = root.flatMap(answer -> answer.get("lease_duration"))
                .filter(JsonValue.Numeral.class::isInstance)
                .map(number -> ((JsonValue.Numeral) number).spelling())
                .filter(spelling -> spelling.matches("[0-9]{1,9}"))
                .map(Long::parseLong)
                .orElse(0L);
        return new Fetched.Value(
                new Secret(found.value()),
                lease == 0 ? Optional.empty() : Optional.of(clock.instant().plusSeconds(lease - lease / LEASE_PART)));
    }

    private static Optional<JsonValue.Members> members(Optional<JsonValue> value) {
        return value.filter(JsonValue.Members.class::isInstance).map(JsonValue.Members.class::cast);
    }
}
