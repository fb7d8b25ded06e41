package dev.capsem.profiles.io;

import dev.capsem.profiles.grant.GrantSource;
import dev.capsem.profiles.grant.GrantValues;
import dev.capsem.profiles.launch.HostProgram;
import dev.capsem.profiles.launch.HostProgram.Ran;
import dev.capsem.profiles.secret.Keyring;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretRef;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/// Fetches the values of grants from this host: each time anew, straight from where they are.
public final class HostGrantValues implements GrantValues {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /// Files in which programs keep logins hold a few kilobytes.
    private static final int JSON_BYTES_MAX = 256 * 1024;
    /// Seconds since 1970 reach this number in the year 5138.
    private static final long MILLIS_FROM = 100_000_000_000L;

    private final SecretStore store;
    private final Keyring keyring;
    private final Map<String, String> environment;
    private final HostProgram programs;
    private final VaultReader vault;
    private final TokenEndpoint tokens;

    /// @param environment of the service, which this process inherited
    public HostGrantValues(SecretStore store, Keyring keyring, Map<String, String> environment, InstantSource clock) {
        this.store = store;
        this.keyring = keyring;
        this.environment = Map.copyOf(environment);
        this.programs = new HostProgram(PATIENCE);
        this.vault = new VaultReader(clock);
        this.tokens = new TokenEndpoint(clock);
    }

    @Override
    public Fetched fetch(GrantSource source) {
        return switch (source) {
            case GrantSource.Stored stored -> stored(stored);
            case GrantSource.Variable variable ->
                value(
                        environment.getOrDefault(variable.name(), ""),
                        "the service was started without the variable " + variable.name()
                                + "; set it and run: capsem service restart");
            case GrantSource.HostFile file -> file(Path.of(file.path()));
            case GrantSource.JsonFile file -> json(file);
            case GrantSource.KeyringEntry entry ->
                keyring.find(entry.service(), entry.account())
                        .<Fetched>map(secret -> new Fetched.Value(secret, Optional.empty()))
                        .orElseGet(() -> new Fetched.Missing("the keyring has no entry with service " + entry.service()
                                + " and account " + entry.account() + ", or does not open"));
            case GrantSource.Program program -> program(program);
            case GrantSource.Vault server -> vault(server);
            case GrantSource.ClientCredentials client -> clientCredentials(client);
        };
    }

    private Fetched stored(GrantSource.Stored stored) {
        try {
            return store.find(new SecretRef.Stored(stored.name()))
                    .<Fetched>map(secret -> new Fetched.Value(secret, Optional.empty()))
                    .orElseGet(() -> new Fetched.Missing(
                            "there is no secret " + stored.name() + "; run: capsem secret set " + stored.name()));
        } catch (ProfileException e) {
            return new Fetched.Missing(String.valueOf(e.getMessage()));
        }
    }

    private static Fetched file(Path path) {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(Secret.CHARS_MAX + 1);
            return value(new String(bytes, StandardCharsets.UTF_8).stripTrailing(), path + " is empty");
        } catch (IOException e) {
            return new Fetched.Missing(path + " cannot be read");
        }
    }

    private static Fetched json(GrantSource.JsonFile file) {
        Path path = Path.of(file.path());
        try (InputStream in = Files.newInputStream(path)) {
            String text = new String(in.readNBytes(JSON_BYTES_MAX), StandardCharsets.UTF_8);
            if (!(JsonReader.read(text) instanceof JsonReading.Parsed parsed)) {
                return new Fetched.Missing(path + " is not JSON");
            }
            JsonValue root = parsed.document().root();
            String value = at(root, file.pointer())
                    .filter(JsonValue.Text.class::isInstance)
                    .map(found -> ((JsonValue.Text) found).value())
                    .orElse("");
            Optional<Instant> expires =
                    file.expires().flatMap(pointer -> at(root, pointer)).flatMap(HostGrantValues::time);
            return switch (value(value, path + " has nothing at " + file.pointer())) {
                case Fetched.Missing missing -> missing;
                case Fetched.Value(Secret secret, Optional<Instant> _) -> new Fetched.Value(secret, expires);
            };
        } catch (IOException e) {
            return new Fetched.Missing(path + " cannot be read");
        }
    }

    private static Optional<JsonValue> at(JsonValue root, String pointer) {
        Optional<JsonValue> at = Optional.of(root);
        for (String step : pointer.substring(1).split("/", -1)) {
            String name = step.replace("~1", "/").replace("~0", "~");
            at = at.filter(JsonValue.Members.class::isInstance).flatMap(value -> ((JsonValue.Members) value).get(name));
        }
        return at;
    }

    /// Empty if it is no time that we know; then the value holds until it is fetched again.
    private static Optional<Instant> time(JsonValue value) {
        try {
            return switch (value) {
                case JsonValue.Text text -> Optional.of(Instant.parse(text.value()));
                case JsonValue.Numeral number -> {
                    long since = Long.parseLong(number.spelling());
                    yield Optional.of(since > MILLIS_FROM ? Instant.ofEpochMilli(since) : Instant.ofEpochSecond(since));
                }
                case JsonValue.Members _, JsonValue.Items _, JsonValue.Bool _, JsonValue.Null _ -> Optional.empty();
            };
        } catch (DateTimeException | NumberFormatException noTime) {
            return Optional.empty();
        }
    }

    private Fetched vault(GrantSource.Vault server) {
        return switch (fetch(server.token())) {
            case Fetched.Missing missing -> missing;
            case Fetched.Value(Secret token, Optional<Instant> _) -> vault.fetch(server, token);
        };
    }

    private Fetched clientCredentials(GrantSource.ClientCredentials client) {
        return switch (fetch(client.clientSecret())) {
            case Fetched.Missing missing -> missing;
            case Fetched.Value(Secret secret, Optional<Instant> _) -> tokens.fetch(client, secret);
        };
    }

    private Fetched program(GrantSource.Program program) {
        return switch (programs.run(program.command(), Optional.empty())) {
            case Ran.Failed(String reason) -> new Fetched.Missing(reason);
            case Ran.Printed(String output) -> printed(output, program.command().getFirst());
        };
    }

    /// The value itself, or `{"value": …, "expires": …}` with a time (RFC 3339).
    private static Fetched printed(String output, String name) {
        boolean isDocument = output.startsWith("{")
                && JsonReader.read(output) instanceof JsonReading.Parsed read
                && read.document().root() instanceof JsonValue.Members members
                && members.get("value").isPresent();
        if (!isDocument
                || !(JsonReader.read(output) instanceof JsonReading.Parsed parsed)
                || !(parsed.document().root() instanceof JsonValue.Members json)) {
            return value(output, name + " printed nothing");
        }
        String found = json.get("value").orElseThrow() instanceof JsonValue.Text text ? text.value() : "";
        try {
            Optional<Instant> expires = json.get("expires")
                    .filter(JsonValue.Text.class::isInstance)
                    .map(time -> Instant.parse(((JsonValue.Text) time).value()));
            return value(found, name + " printed no value") instanceof Fetched.Value(Secret secret, Optional<Instant> _)
                    ? new Fetched.Value(secret, expires)
                    : new Fetched.Missing(name + " printed no value");
        } catch (DateTimeException e) {
            return new Fetched.Missing(name + " printed an expires that is no time (RFC 3339)");
        }
    }

    private static Fetched value(String text, String ifEmpty) {
        if (text.isEmpty()) {
            return new Fetched.Missing(ifEmpty);
        }
        try {
            return new Fetched.Value(new Secret(text), Optional.empty());
        } catch (IllegalArgumentException unfit) {
            return new Fetched.Missing(String.valueOf(unfit.getMessage()));
        }
    }
}
