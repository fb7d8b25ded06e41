package dev.capsem.broker;

import dev.capsem.events.security.Headers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A request's head while values are put into it, one place after the other.
final class HeadFilling {
    private static final String AUTHORIZATION = "authorization";

    private String path;
    private Optional<String> query;
    private Headers headers;
    private final List<Brokered.Use> uses = new ArrayList<>();

    HeadFilling(String path, Optional<String> query, Headers headers) {
        this.path = path;
        this.query = query;
        this.headers = headers;
    }

    SentHead sent() {
        return new SentHead(path, query, headers);
    }

    List<Brokered.Use> uses() {
        return uses;
    }

    /// Replaces the stand-in in that place, as often as the grant allows. What is left of it is found by whoever looks.
    void replace(Held held, SecretPlace place, byte[] value) {
        String standIn = held.placeholder().text();
        int count = switch (place) {
            case SecretPlace.Header(String name) -> replaceInHeader(held, name, standIn, wire(value));
            case SecretPlace.Basic() -> replaceInBasic(held, standIn, wire(value));
            case SecretPlace.Query(String name) -> replaceInQuery(held, name, standIn, percent(value));
            case SecretPlace.UrlPath() -> {
                Replaced done = Replaced.in(path, standIn, percent(value), held.grant());
                path = done.text();
                yield done.count();
            }
            case SecretPlace.Body _, SecretPlace.WebSocket _, SecretPlace.AwsSigV4 _ -> 0;
        };
        if (count > 0) {
            used(held, place, count);
        }
    }

    /// Whether the stand-in is in one of its places.
    boolean wants(Held held) {
        HeadFilling trial = new HeadFilling(path, query, headers);
        held.grant().places().forEach(place -> trial.replace(held, place, new byte[0]));
        return !trial.uses.isEmpty();
    }

    void used(Held held, SecretPlace place, int count) {
        uses.add(new Brokered.Use(held.grant().name(), place.text(), count));
    }

    /// Over what the guest has there.
    void authorize(String text) {
        headers = headers.with(AUTHORIZATION, text);
    }

    /// Writes the place from nothing, over what the guest may have put there.
    void set(Held held, SecretPlace place, byte[] value) {
        String text = held.grant().format().orElse("{}").replace("{}", wire(value));
        switch (place) {
            case SecretPlace.Header(String name) -> headers = headers.with(name, text);
            case SecretPlace.Basic() -> headers = headers.with(AUTHORIZATION, "Basic " + base64(text));
            case SecretPlace.Query(String name) ->
                query = Optional.of(withParameter(name, percent(text.getBytes(StandardCharsets.ISO_8859_1))));
            case SecretPlace.UrlPath _, SecretPlace.Body _, SecretPlace.WebSocket _, SecretPlace.AwsSigV4 _ ->
                throw new IllegalStateException("a grant of that place cannot be set");
        }
        used(held, place, 1);
    }

    private int replaceInHeader(Held held, String name, String standIn, String value) {
        int count = 0;
        List<Headers.Field> fields = new ArrayList<>();
        for (Headers.Field field : headers.fields()) {
            if (field.name().equals(name) && field.value().contains(standIn)) {
                Replaced done = Replaced.in(field.value(), standIn, value, held.grant(), count);
                count += done.count();
                fields.add(new Headers.Field(name, done.text()));
            } else {
                fields.add(field);
            }
        }
        if (count > 0) {
            headers = Headers.of(fields);
        }
        return count;
    }

    private int replaceInBasic(Held held, String standIn, String value) {
        Optional<String> field = headers.value(AUTHORIZATION);
        if (field.isEmpty() || !field.get().toLowerCase(Locale.ROOT).startsWith("basic ")) {
            return 0;
        }
        String decoded;
        try {
            byte[] bytes = Base64.getDecoder()
                    .decode(field.get().substring("basic ".length()).strip());
            decoded = new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException noBase64) {
            return 0;
        }
        Replaced done = Replaced.in(decoded, standIn, value, held.grant());
        if (done.count() > 0) {
            headers = headers.with(AUTHORIZATION, "Basic " + base64(done.text()));
        }
        return done.count();
    }

    private int replaceInQuery(Held held, String name, String standIn, String value) {
        if (query.isEmpty() || !query.get().contains(standIn)) {
            return 0;
        }
        int count = 0;
        List<String> parameters = new ArrayList<>();
        for (String parameter : query.get().split("&", -1)) {
            if (parameter.startsWith(name + "=")) {
                Replaced done = Replaced.in(parameter, standIn, value, held.grant(), count);
                count += done.count();
                parameters.add(done.text());
            } else {
                parameters.add(parameter);
            }
        }
        query = Optional.of(String.join("&", parameters));
        return count;
    }

    private String withParameter(String name, String value) {
        List<String> parameters = new ArrayList<>();
        query.filter(text -> !text.isEmpty()).ifPresent(text -> {
            for (String parameter : text.split("&", -1)) {
                if (!parameter.equals(name) && !parameter.startsWith(name + "=")) {
                    parameters.add(parameter);
                }
            }
        });
        parameters.add(name + "=" + value);
        return String.join("&", parameters);
    }

    private static String percent(byte[] value) {
        return wire(Encoding.PERCENT.encode(value));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// Each character is one byte on the wire.
    private static String wire(byte[] value) {
        return new String(value, StandardCharsets.ISO_8859_1);
    }

    /// A text with some of the stand-ins in it replaced.
    record Replaced(String text, int count) {
        static Replaced in(String text, String standIn, String value, SecretGrant grant) {
            return in(text, standIn, value, grant, 0);
        }

        /// @param before how many were replaced in this place already
        static Replaced in(String text, String standIn, String value, SecretGrant grant, int before) {
            StringBuilder out = new StringBuilder();
            int count = 0;
            int done = 0;
            for (int at = text.indexOf(standIn); at >= 0; at = text.indexOf(standIn, done)) {
                if (before + count == grant.occurrences()) {
                    break;
                }
                out.append(text, done, at).append(value);
                done = at + standIn.length();
                count++;
            }
            return new Replaced(out.append(text, done, text.length()).toString(), count);
        }
    }
}
