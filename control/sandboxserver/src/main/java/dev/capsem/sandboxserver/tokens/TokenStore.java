package dev.capsem.sandboxserver.tokens;

import dev.capsem.service.state.StateFile;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// All tokens of this installation, in one private file.
public final class TokenStore {
    /// Every check compares with each of them.
    public static final int TOKENS_MAX = 256;

    public static final int NAME_LENGTH_MAX = 64;
    private static final int ID_BYTES = 4;

    private final StateFile file;
    private final Clock clock;
    private final SecureRandom random;
    /// Written under the lock of this; replaced as a whole.
    private volatile List<Token> tokens;

    private TokenStore(StateFile file, Clock clock, SecureRandom random, List<Token> tokens) {
        this.file = file;
        this.clock = clock;
        this.random = random;
        this.tokens = tokens;
    }

    /// Of a damaged file no token counts: guessing who may do what is not an option.
    public static TokenStore open(StateFile file, Clock clock, SecureRandom random) {
        List<Token> known = file.read(json -> JsonMembers.of(json, "tokens.json").objects("tokens").stream()
                        .map(Token::fromFile)
                        .toList())
                .orElse(List.of());
        return new TokenStore(file, clock, random, known);
    }

    public record Created(Token token, Bearer secret) {}

    /// Empty when there are [#TOKENS_MAX] already.
    ///
    /// @param life absent: until it is revoked
    public synchronized Optional<Created> create(
            String name, Set<Scope> scopes, Set<String> profiles, Set<String> sandboxes, Optional<Duration> life) {
        List<Token> now = new ArrayList<>(tokens);
        if (now.size() >= TOKENS_MAX) {
            return Optional.empty();
        }
        Bearer secret = Bearer.random(random);
        byte[] id = new byte[ID_BYTES];
        random.nextBytes(id);
        Token token = new Token(
                HexFormat.of().formatHex(id),
                name,
                scopes,
                profiles,
                sandboxes,
                clock.instant(),
                life.map(clock.instant()::plus),
                HexFormat.of().formatHex(secret.hash()));
        now.add(token);
        keep(now);
        return Optional.of(new Created(token, secret));
    }

    public List<Token> all() {
        return tokens;
    }

    /// By id or by name; returns how many there were.
    public synchronized int revoke(String idOrName) {
        List<Token> kept = tokens.stream()
                .filter(token -> !token.id().equals(idOrName) && !token.name().equals(idOrName))
                .toList();
        int revoked = tokens.size() - kept.size();
        if (revoked > 0) {
            keep(kept);
        }
        return revoked;
    }

    /// The token with this secret, expired or not. Compares with all of them, each in constant time, so that the answer
    /// takes equally long wherever the match is.
    public Optional<Token> find(Bearer given) {
        byte[] hash = given.hash();
        Optional<Token> found = Optional.empty();
        for (Token token : tokens) {
            if (MessageDigest.isEqual(hash, token.hashBytes())) {
                found = Optional.of(token);
            }
        }
        return found;
    }

    /// On disk first: a token that was revoked stays revoked.
    private void keep(List<Token> next) {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("tokens");
        next.forEach(token -> all.add(token.toFile()));
        file.write(json);
        tokens = List.copyOf(next);
    }
}
