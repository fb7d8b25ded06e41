package dev.capsem.sandboxserver.tokens;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The stored part of a token, without its secret.
///
/// @param id names it in lists; not secret
/// @param profiles that it is for; `default` is the one that is chosen when it is used
/// @param sandboxes that it is for; empty: all of its profiles
/// @param hash of the secret, in hex
public record Token(
        String id,
        String name,
        Set<Scope> scopes,
        Set<String> profiles,
        Set<String> sandboxes,
        Instant createdAt,
        Optional<Instant> expiresAt,
        String hash) {
    /// Of tokens that were made before they named profiles.
    private static final Set<String> CHOSEN = Set.of("default");

    public Token {
        scopes = Set.copyOf(scopes);
        profiles = Set.copyOf(profiles);
        sandboxes = Set.copyOf(sandboxes);
        HexFormat.of().parseHex(hash);
    }

    public boolean allows(Scope scope) {
        return scopes.contains(scope) || scopes.contains(Scope.ADMIN);
    }

    /// A maker of tokens can make one for anything.
    public boolean isForAll() {
        return scopes.contains(Scope.ADMIN);
    }

    public boolean isForSandbox(String id) {
        return sandboxes.isEmpty() || sandboxes.contains(id);
    }

    public boolean isExpired(Instant now) {
        return expiresAt.filter(end -> !now.isBefore(end)).isPresent();
    }

    byte[] hashBytes() {
        return HexFormat.of().parseHex(hash);
    }

    /// Without the hash.
    public ObjectNode toJson(Instant now) {
        ObjectNode json = Json.object().put("id", id).put("name", name);
        ArrayNode names = json.putArray("scopes");
        new TreeSet<>(scopes).forEach(scope -> names.add(scope.wireName()));
        ArrayNode reached = json.putArray("profiles");
        new TreeSet<>(profiles).forEach(reached::add);
        if (!sandboxes.isEmpty()) {
            ArrayNode named = json.putArray("sandboxes");
            new TreeSet<>(sandboxes).forEach(named::add);
        }
        json.put("created_at", createdAt.toString());
        expiresAt.ifPresent(end -> json.put("expires_at", end.toString()));
        return json.put("expired", isExpired(now));
    }

    ObjectNode toFile() {
        ObjectNode json = toJson(createdAt).put("hash", hash);
        json.remove("expired");
        return json;
    }

    static Token fromFile(JsonMembers json) {
        List<String> scopes = json.texts("scopes");
        return new Token(
                json.text("id"),
                json.text("name"),
                scopes.stream().flatMap(text -> Scope.named(text).stream()).collect(Collectors.toSet()),
                json.has("profiles") ? Set.copyOf(json.texts("profiles")) : CHOSEN,
                Set.copyOf(json.texts("sandboxes")),
                Instant.parse(json.text("created_at")),
                json.optionalText("expires_at").map(Instant::parse),
                json.text("hash"));
    }
}
