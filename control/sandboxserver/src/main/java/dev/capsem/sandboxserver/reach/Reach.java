package dev.capsem.sandboxserver.reach;

import dev.capsem.http.Request;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.templates.Templates;
import dev.capsem.sandboxserver.templates.TemplatesApi;
import dev.capsem.sandboxserver.tokens.Token;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/// Holds every request against the profiles and sandboxes that its token is for, before anything is done.
public final class Reach {
    private static final Logger LOG = LoggerFactory.getLogger(Reach.class);

    private final Sandboxes sandboxes;
    private final Templates templates;
    private final Profiles profiles;

    public Reach(Sandboxes sandboxes, Templates templates, Profiles profiles) {
        this.sandboxes = sandboxes;
        this.templates = templates;
        this.profiles = profiles;
    }

    public Route.Handler checked(Route.Handler handler) {
        return call -> {
            limited(call.request()).ifPresent(token -> check(call, token));
            return handler.handle(call);
        };
    }

    /// Whether this sandbox is for the caller to see.
    public boolean isFor(RouteCall call, Sandbox sandbox) {
        return limited(call.request())
                .map(token -> token.isForSandbox(sandbox.id().value())
                        && isFor(token, sandbox.facts().profileId()))
                .orElse(true);
    }

    /// Whether the caller may make a sandbox of this.
    public boolean mayFork(RouteCall call, String source) {
        return limited(call.request()).map(token -> mayFork(token, source)).orElse(true);
    }

    private boolean mayFork(Token token, String source) {
        return isSource(token, source)
                && templates
                        .profileOf(source)
                        .filter(profile -> !isFor(token, profile))
                        .isEmpty();
    }

    /// Templates and profiles are for every token, of sandboxes those that it names.
    private boolean isSource(Token token, String source) {
        return templates.isRegistered(source) || templates.isProfile(source) || token.isForSandbox(source);
    }

    private static Optional<Token> limited(Request request) {
        return request.caller() instanceof TokenBearer(Request.Caller _, Token token) && !token.isForAll()
                ? Optional.of(token)
                : Optional.empty();
    }

    private void check(RouteCall call, Token token) {
        // What one sandbox wrote into a workspace, another one can read.
        if (call.request().path().startsWith("/v1/workspaces")
                && !token.sandboxes().isEmpty()) {
            throw refused(
                    call,
                    token,
                    "the token is for some sandboxes, and workspaces are for all",
                    "make one without --sandbox: `capsem token create --scope SCOPE`");
        }
        named(call).forEach(id -> {
            require(token.isForSandbox(id), call, token, "sandbox", id);
            sandbox(id).ifPresent(one -> requireProfile(call, token, one.facts().profileId()));
        });
        switch (call.request().method() + " " + call.request().path()) {
            case "POST /v1/fork" -> {
                text(call, "template").ifPresent(source -> requireSource(call, token, source));
                requireNew(call, token);
            }
            case "POST /v1/templates" -> {
                text(call, "image").ifPresent(source -> requireSource(call, token, source));
                // A template that names a network instead has the closed profile, or is refused.
                if (text(call, "profile").isPresent() || !call.json().has("network")) {
                    requireProfile(call, token, text(call, "profile").orElse(Templates.CHOSEN));
                }
            }
            default -> {
                if (call.request().path().endsWith("/fork")) {
                    requireNew(call, token);
                }
            }
        }
    }

    /// Every place in which a request may name its sandbox: no route reads another one than was checked.
    private static Set<String> named(RouteCall call) {
        Set<String> ids = new TreeSet<>();
        if (call.request().path().startsWith("/v1/sandboxes/")) {
            ids.add(call.variables().getOrDefault("id", ""));
        }
        text(call, "sandbox").ifPresent(ids::add);
        call.request().headers().first("X-Sandbox-Id").ifPresent(ids::add);
        ids.addAll(call.queries("sandbox"));
        return ids;
    }

    private static Optional<String> text(RouteCall call, String member) {
        return Optional.ofNullable(call.json().get(member))
                .filter(JsonNode::isString)
                .map(JsonNode::asString);
    }

    private void requireSource(RouteCall call, Token token, String source) {
        require(isSource(token, source), call, token, "sandbox", source);
        templates.profileOf(source).ifPresent(profile -> requireProfile(call, token, profile));
    }

    /// A token for some sandboxes makes none of another name.
    private static void requireNew(RouteCall call, Token token) {
        String id = text(call, "id").orElse("");
        require(token.isForSandbox(id), call, token, "sandbox", id.isEmpty() ? "without a name" : id);
    }

    private void requireProfile(RouteCall call, Token token, String profile) {
        require(isFor(token, profile), call, token, "profile", profile);
    }

    /// Nothing leaves a sandbox of the closed profile, so that every token may make one.
    private boolean isFor(Token token, String profile) {
        String chosen = profiles.chosen().value();
        String meant = profile.equals(Templates.CHOSEN) ? chosen : profile;
        return meant.equals(TemplatesApi.CLOSED_PROFILE)
                || token.profiles().contains(meant)
                || (meant.equals(chosen) && token.profiles().contains(Templates.CHOSEN));
    }

    private static void require(boolean isGiven, RouteCall call, Token token, String what, String name) {
        if (!isGiven) {
            throw refused(
                            call,
                            token,
                            "the token is not for the " + what + " " + name,
                            "make one that is: `capsem token create --scope SCOPE --" + what + " "
                                    + (name.contains(" ") ? "NAME" : name) + "`")
                    .with("required_" + what, name);
        }
    }

    private static ApiProblem refused(RouteCall call, Token token, String message, String remedy) {
        LOG.atWarn()
                .addKeyValue("token", token.id())
                .addKeyValue(
                        "route", call.request().method() + " " + call.request().path())
                .addKeyValue("reason", message)
                .log("gateway.token.refused");
        return new ApiProblem(ApiProblem.Code.FORBIDDEN, message, remedy);
    }

    private Optional<Sandbox> sandbox(String id) {
        return sandboxes.all().stream()
                .filter(one -> one.id().value().equals(id))
                .findFirst();
    }
}
