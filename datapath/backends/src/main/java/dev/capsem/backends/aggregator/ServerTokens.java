package dev.capsem.backends.aggregator;

import dev.capsem.broker.KnownValues;
import dev.capsem.broker.Placeholder;
import dev.capsem.broker.SecretValue;
import dev.capsem.wire.aggregator.SecretText;
import dev.capsem.wire.aggregator.ServerDefinition;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// The credentials of all servers, taken out of every line that leaves: a server that says back what it was sent tells
/// it to nobody, in whatever spelling of [KnownValues].
///
/// @param texts of the servers before and now
record ServerTokens(Set<String> texts, KnownValues values) {
    static final ServerTokens NONE = new ServerTokens(Set.of(), KnownValues.NONE);

    private static final Placeholder SHOWN = new Placeholder("credential-of-this-mcp-server");

    /// Words in the names of headers that hold credentials. Others, such as versions, are no secrets, and stand in
    /// answers as a matter of course.
    private static final List<String> CREDENTIALS =
            List.of("auth", "key", "token", "secret", "cookie", "credential", "password");

    ServerTokens {
        texts = Set.copyOf(texts);
    }

    static ServerTokens of(List<ServerDefinition> definitions) {
        return NONE.and(definitions);
    }

    ServerTokens and(List<ServerDefinition> definitions) {
        Set<String> all = new LinkedHashSet<>(texts);
        for (ServerDefinition definition : definitions) {
            definition.bearerToken().map(SecretText::reveal).ifPresent(all::add);
            definition.headers().forEach((name, value) -> {
                if (CREDENTIALS.stream().anyMatch(name.toLowerCase(Locale.ROOT)::contains)) {
                    // Behind its scheme, such as "Bearer ".
                    all.add(value.reveal().substring(value.reveal().lastIndexOf(' ') + 1));
                }
            });
        }
        all.removeIf(text -> {
            int length = text.getBytes(StandardCharsets.UTF_8).length;
            return length < SecretValue.BYTES_MIN || length > SecretValue.BYTES_MAX;
        });
        return all.equals(texts)
                ? this
                : new ServerTokens(
                        all, KnownValues.of(all.stream().map(SecretValue::of).toList(), SHOWN));
    }

    /// A line of JSON stays one: what is put in needs no escape.
    byte[] without(byte[] line) {
        return values.clean(line);
    }

    /// Names nothing.
    @Override
    public String toString() {
        return "ServerTokens[" + texts.size() + "]";
    }
}
