package dev.capsem.sandboxserver.gateway;

import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.http.WebSocketHandler;
import dev.capsem.sandboxserver.protocol.Access;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.Dialect;
import dev.capsem.sandboxserver.protocol.SandboxServerTable;
import dev.capsem.sandboxserver.reach.TokenBearer;
import dev.capsem.sandboxserver.tokens.Bearer;
import dev.capsem.sandboxserver.tokens.Scope;
import dev.capsem.sandboxserver.tokens.Token;
import dev.capsem.sandboxserver.tokens.TokenStore;
import java.time.Clock;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides on every request that comes over TCP, before its body is read.
public final class GatewayGuard implements Front {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayGuard.class);
    private static final String SCHEME = "bearer ";

    private final SandboxServerTable server;
    private final TokenStore tokens;
    private final GatewaySettings settings;
    private final FailedLogins failures;
    private final Clock clock;

    public GatewayGuard(SandboxServerTable server, TokenStore tokens, GatewaySettings settings, Clock clock) {
        this.server = server;
        this.tokens = tokens;
        this.settings = settings;
        this.failures = new FailedLogins(clock);
        this.clock = clock;
    }

    @Override
    public HttpAnswer handle(Request request) {
        try {
            checkHost(request);
            checkOrigin(request);
            Request admitted = admitted(request);
            HttpAnswer answer = server.handle(admitted);
            return admitted.caller() instanceof TokenBearer(Request.Caller _, Token token)
                    ? whileInForce(token, answer)
                    : answer;
        } catch (ApiProblem e) {
            server.refused(request, e);
            return Dialect.refusal(request, e);
        }
    }

    /// A stream or terminal that outlives its token ends with the next thing that is said in it: whoever revokes a
    /// token means what goes on as well.
    private HttpAnswer whileInForce(Token token, HttpAnswer answer) {
        return switch (answer) {
            case HttpAnswer.Stream(String mediaType, HttpAnswer.Producer producer) ->
                new HttpAnswer.Stream(
                        mediaType,
                        sink -> producer.produce(bytes -> {
                            requireInForce(token);
                            sink.write(bytes);
                        }));
            case HttpAnswer.Upgrade(Optional<String> protocol, WebSocketHandler handler) ->
                new HttpAnswer.Upgrade(protocol, new RevocableSocket(handler, () -> isInForce(token)));
            case HttpAnswer.WithHeaders(HttpAnswer inner, Map<String, String> headers) ->
                new HttpAnswer.WithHeaders(whileInForce(token, inner), headers);
            case HttpAnswer.JsonBody _,
                    HttpAnswer.Content _,
                    HttpAnswer.Page _,
                    HttpAnswer.LongBody _,
                    HttpAnswer.Last _ -> answer;
        };
    }

    private boolean isInForce(Token token) {
        return tokens.all().contains(token) && !token.isExpired(clock.instant());
    }

    private void requireInForce(Token token) {
        if (!isInForce(token)) {
            throw new HttpAnswer.ClientGoneException();
        }
    }

    /// Against DNS rebinding: a page of another site reaches us under that site's name.
    private void checkHost(Request request) {
        String host = request.headers().first("Host").orElse("");
        if (!settings.isOurs(host)) {
            throw new ApiProblem(
                    ApiProblem.Code.FORBIDDEN,
                    "this server does not go by the name in the Host header",
                    "use http://127.0.0.1:PORT, or allow the name: `capsem gateway on --allow-host NAME`");
        }
    }

    /// Against pages in a browser: only one that we served ourselves may ask, and we serve none.
    private static void checkOrigin(Request request) {
        Optional<String> origin = request.headers().first("Origin");
        String host = request.headers().first("Host").orElse("");
        boolean isOwn = origin.map(
                        value -> value.equalsIgnoreCase("http://" + host) || value.equalsIgnoreCase("https://" + host))
                .orElse(true);
        if (!isOwn) {
            throw new ApiProblem(
                    ApiProblem.Code.FORBIDDEN,
                    "pages of another origin may not use this server",
                    "call it from a program, not from a page in a browser");
        }
    }

    /// The same request, of whoever holds its token.
    private Request admitted(Request request) {
        Access access = server.accessTo(request);
        if (access == Access.OPEN || settings.standalone()) {
            return request;
        }
        Scope scope = access.scope().orElseThrow(() -> new IllegalStateException(access + " has no scope"));
        Token token = authenticated(request);
        if (!token.allows(scope)) {
            LOG.atWarn()
                    .addKeyValue("token", token.id())
                    .addKeyValue("route", request.method() + " " + request.path())
                    .addKeyValue("reason", "no scope " + scope.wireName())
                    .log("gateway.token.refused");
            throw new ApiProblem(
                            ApiProblem.Code.FORBIDDEN,
                            "the token does not have the scope " + scope.wireName(),
                            "make one that has: `capsem token create --scope " + scope.wireName() + "`")
                    .with("required_scope", scope.wireName());
        }
        Request.Caller caller = request.caller();
        Request.Caller there = () -> {
            requireInForce(token);
            caller.requireThere();
        };
        return request.by(new TokenBearer(there, token));
    }

    private Token authenticated(Request request) {
        Optional<Token> token = bearer(request).flatMap(tokens::find);
        if (token.isEmpty()) {
            throw refused("the token is missing or wrong");
        }
        if (token.get().isExpired(clock.instant())) {
            throw refused("the token has expired");
        }
        return token.get();
    }

    /// A right token is always let in, also while somebody else is guessing: with 256 bits there is nothing to
    /// guess, and nobody on this machine can lock its owner out.
    private ApiProblem refused(String message) {
        Optional<Long> wait = failures.count();
        if (wait.isPresent()) {
            return new ApiProblem(
                            ApiProblem.Code.RATE_LIMITED,
                            "too many requests without a valid token",
                            "wait, then try with a valid token")
                    .with("retry_after_ms", wait.get());
        }
        LOG.atWarn().addKeyValue("reason", message).log("gateway.token.refused");
        return new ApiProblem(
                ApiProblem.Code.UNAUTHORIZED,
                message,
                "make one with `capsem token create` and send it as Authorization: Bearer TOKEN");
    }

    private static Optional<Bearer> bearer(Request request) {
        return request.headers()
                .first("Authorization")
                .filter(value -> value.toLowerCase(Locale.ROOT).startsWith(SCHEME))
                .map(value -> new Bearer(value.substring(SCHEME.length()).strip()));
    }
}
