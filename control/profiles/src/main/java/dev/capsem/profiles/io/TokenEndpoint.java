package dev.capsem.profiles.io;

import dev.capsem.profiles.grant.GrantSource;
import dev.capsem.profiles.grant.GrantValues.Fetched;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;

/// Fetches an access token for a client's own credentials (RFC 6749 §4.4), which go into `Authorization: Basic`.
final class TokenEndpoint {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int ANSWER_BYTES_MAX = 256 * 1024;

    private final InstantSource clock;

    TokenEndpoint(InstantSource clock) {
        this.clock = clock;
    }

    Fetched fetch(GrantSource.ClientCredentials client, Secret secret) {
        String where = "the token endpoint at " + client.url().getHost();
        String form = "grant_type=client_credentials"
                + client.scope().map(scope -> "&scope=" + escaped(scope)).orElse("");
        // RFC 6749 §2.3.1: both are escaped as in a form before they are put together.
        String credentials = escaped(client.clientId()) + ":" + escaped(secret.reveal());
        HttpRequest request = HttpRequest.newBuilder(client.url())
                .timeout(PATIENCE)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json")
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)))
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        try (HttpClient http = HttpClient.newBuilder()
                .connectTimeout(PATIENCE)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build()) {
            HttpResponse<InputStream> answer = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                return answer.statusCode() == 200
                        ? token(new String(body.readNBytes(ANSWER_BYTES_MAX), StandardCharsets.UTF_8), where)
                        : new Fetched.Missing(where + " answered with status " + answer.statusCode());
            }
        } catch (IOException e) {
            return new Fetched.Missing(where + " did not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Fetched.Missing("the wait for " + where + " was interrupted");
        }
    }

    private Fetched token(String text, String where) {
        if (!(JsonReader.read(text) instanceof JsonReading.Parsed parsed)
                || !(parsed.document().root() instanceof JsonValue.Members answer)
                || !(answer.get("access_token").orElse(null) instanceof JsonValue.Text token)
                || token.value().isEmpty()
                || token.value().length() > Secret.CHARS_MAX) {
            return new Fetched.Missing(where + " answered without a token");
        }
        Optional<Instant> expires = answer.get("expires_in")
                .filter(JsonValue.Numeral.class::isInstance)
                .map(number -> ((JsonValue.Numeral) number).spelling())
                .filter(spelling -> spelling.matches("[0-9]{1,9}"))
                .map(seconds -> clock.instant().plusSeconds(Long.parseLong(seconds)));
        return new Fetched.Value(new Secret(token.value()), expires);
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
