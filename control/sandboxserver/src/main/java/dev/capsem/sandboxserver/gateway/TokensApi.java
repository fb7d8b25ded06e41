package dev.capsem.sandboxserver.gateway;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.sandboxserver.protocol.Access.ADMIN;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.protocol.Bodies;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.sandboxserver.templates.Templates;
import dev.capsem.sandboxserver.tokens.Scope;
import dev.capsem.sandboxserver.tokens.TokenStore;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `/tokens` on the Unix socket, and `/v1/tokens` for those whose token has the scope `admin`.
public final class TokensApi implements GuardedApi {
    private static final long LIFE_SECONDS_DEFAULT = Duration.ofDays(30).toSeconds();
    private static final long LIFE_SECONDS_MAX = Duration.ofDays(3_650).toSeconds();
    private static final Pattern NAME =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._ @-]{0," + (TokenStore.NAME_LENGTH_MAX - 1) + "}");

    private final TokenStore tokens;
    private final Profiles profiles;
    private final Clock clock;

    public TokensApi(TokenStore tokens, Profiles profiles, Clock clock) {
        this.tokens = tokens;
        this.profiles = profiles;
        this.clock = clock;
    }

    /// For the owner of the Unix socket, with the service's own errors.
    public List<Route> ownerRoutes() {
        return List.of(
                Route.post("/tokens", JSON, this::create).answers("as POST /v1/tokens", "Makes a token."),
                Route.get("/tokens", this::list).answers("{tokens: […]}", "All tokens, without secrets."),
                Route.delete("/tokens/{id}", this::revoke).answers("{id, revoked}", "Revokes tokens."));
    }

    @Override
    public List<GuardedRoute> routes() {
        return List.of(
                ADMIN.to(Route.post("/v1/tokens", JSON, this::create)
                        .answers(
                                "{id, name, scopes, profiles, sandboxes?, created_at, expires_at?, expired, token}",
                                "Makes a token. Its secret is in this answer and nowhere else.")),
                ADMIN.to(Route.get("/v1/tokens", this::list).answers("{tokens: […]}", "All tokens, without secrets.")),
                ADMIN.to(Route.delete("/v1/tokens/{id}", this::revoke)
                        .answers("{id, revoked}", "Revokes the token of this id, or all of this name.")));
    }

    public HttpAnswer create(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        String name = body.optionalText("name").orElse("token");
        if (!NAME.matcher(name).matches()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_NAME,
                    "not a name for a token",
                    "use 1 to 64 letters, digits, blanks and . _ @ -, the first a letter or digit");
        }
        TokenStore.Created created = tokens.create(
                        name, scopes(body.texts("scopes")), profiles(body), sandboxes(body), life(body))
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.BUSY,
                        "there are " + TokenStore.TOKENS_MAX + " tokens, which is the limit",
                        "revoke some: `capsem token revoke ID`"));
        return HttpAnswer.json(created.token()
                .toJson(clock.instant())
                .put("token", created.secret().reveal()));
    }

    /// Unless it says otherwise: the profile that is chosen when it is used, and the one that is chosen now, so that
    /// what it makes stays within its reach.
    private Set<String> profiles(JsonMembers body) {
        Set<String> named = new TreeSet<>(body.texts("profiles"));
        named.forEach(name -> profiles.required(Optional.of(name)));
        return named.isEmpty() ? Set.of(Templates.CHOSEN, profiles.chosen().value()) : named;
    }

    private static Set<String> sandboxes(JsonMembers body) {
        Set<String> named = new TreeSet<>(body.texts("sandboxes"));
        named.forEach(name -> Bodies.id(name, "sandbox"));
        return named;
    }

    private static Set<Scope> scopes(List<String> names) {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        for (String name : names) {
            scopes.add(Scope.named(name)
                    .orElseThrow(() -> new JsonShapeException("a scope is read, execute, lifecycle or admin")));
        }
        if (scopes.isEmpty()) {
            throw new JsonShapeException("scopes must name one or more of read, execute, lifecycle, admin");
        }
        return scopes;
    }

    /// 0 = until it is revoked.
    private static Optional<Duration> life(JsonMembers body) {
        long seconds = body.number("ttl_seconds", LIFE_SECONDS_DEFAULT);
        if (seconds < 0 || seconds > LIFE_SECONDS_MAX) {
            throw new JsonShapeException("ttl_seconds must be 0 (no end) to " + LIFE_SECONDS_MAX);
        }
        return seconds == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(seconds));
    }

    public HttpAnswer list(RouteCall call) {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("tokens");
        tokens.all().forEach(token -> all.add(token.toJson(clock.instant())));
        return HttpAnswer.json(json);
    }

    public HttpAnswer revoke(RouteCall call) {
        String which = call.variable("id");
        int revoked = tokens.revoke(which);
        if (revoked == 0) {
            throw new ServiceProblem(
                    ServiceProblem.Code.SECRET_NOT_FOUND,
                    "there is no such token",
                    "see which there are: `capsem token list`");
        }
        return HttpAnswer.json(Json.object().put("id", which).put("revoked", revoked));
    }
}
