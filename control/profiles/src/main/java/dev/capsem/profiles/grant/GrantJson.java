package dev.capsem.profiles.grant;

import dev.capsem.broker.SecretGrant;
import dev.capsem.broker.SecretPlace;
import dev.capsem.source.json.JsonValue;

/// A grant as JSON, with the keys of a profile; [GrantReader] reads it. Holds references, never values.
public final class GrantJson {
    private GrantJson() {}

    public static JsonValue.Members write(ProfileGrant grant) {
        JsonValue.Builder json = JsonValue.members().put("name", grant.name());
        json.put("secret", source(grant.source()));
        SecretGrant given = grant.grant();
        json.put("hosts", given.hosts());
        json.put("places", given.places().stream().map(SecretPlace::text).toList());
        if (!given.methods().isEmpty()) {
            json.put("methods", given.methods().stream().sorted().toList());
        }
        if (!given.paths().isEmpty()) {
            json.put("paths", given.paths());
        }
        json.put("mode", grant.isSet() ? "set" : "placeholder");
        grant.variable().ifPresent(name -> json.put("env", name));
        grant.file().ifPresent(file -> json.put("file", file.path()).put("text", file.text()));
        given.format().ifPresent(format -> json.put("format", format));
        grant.shape().ifPresent(shape -> json.put("shape", shape));
        if (given.occurrences() > 1) {
            json.put("occurrences", given.occurrences());
        }
        if (given.allowsPlainHttp()) {
            json.put("plain_http", true);
        }
        return json.build();
    }

    private static JsonValue source(GrantSource source) {
        return switch (source) {
            case GrantSource.Program program ->
                JsonValue.members().put("program", program.command()).build();
            case GrantSource.ClientCredentials client -> {
                JsonValue.Builder json = JsonValue.members()
                        .put("oauth", client.url().toString())
                        .put("client_id", client.clientId())
                        .put("client_secret", source(client.clientSecret()));
                client.scope().ifPresent(scope -> json.put("scope", scope));
                yield json.build();
            }
            case GrantSource.JsonFile file -> {
                var json = JsonValue.members().put("json", file.path()).put("pointer", file.pointer());
                yield file.expires()
                        .map(expires -> json.put("expires", expires))
                        .orElse(json)
                        .build();
            }
            case GrantSource.Vault vault ->
                JsonValue.members()
                        .put("vault", vault.url().toString())
                        .put("path", vault.path())
                        .put("field", vault.field())
                        .put("token", source(vault.token()))
                        .build();
            case GrantSource.Stored _, GrantSource.Variable _, GrantSource.HostFile _, GrantSource.KeyringEntry _ ->
                JsonValue.of(source.text());
        };
    }
}
