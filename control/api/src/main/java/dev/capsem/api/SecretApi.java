package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.BYTES;
import static dev.capsem.http.Route.BodyKind.JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.SecretStore;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretName;
import dev.capsem.service.grants.GrantDesk;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Routes about secrets and the grants that send them. No answer holds a value.
public final class SecretApi implements Api {
    private final SecretStore secrets;
    private final GrantDesk grants;
    private final InstantSource clock;

    public SecretApi(SecretStore secrets, GrantDesk grants, InstantSource clock) {
        this.secrets = secrets;
        this.grants = grants;
        this.clock = clock;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/secrets", this::secrets)
                        .answers(
                                "{secrets: [{name, set_at?, grants}], grants: […], encrypted, key}",
                                "The names of secrets, when they were set and which grants of the profile in use send"
                                        + " them; those grants; where the store's key is: file or keyring."),
                Route.put("/secrets/{name}", BYTES, this::setSecret)
                        .answers(
                                "{name, set, sandboxes}",
                                "Keeps the body as a secret, at most 64 KiB; running sandboxes that use it get it."),
                Route.delete("/secrets/{name}", this::removeSecret).answers("{name, removed}", "Forgets one."),
                Route.post("/secrets/key", JSON, this::moveKey)
                        .answers("{encrypted, key}", "Encrypts the store anew; {place}: file or keyring."),
                Route.get("/grants", this::list)
                        .answers("{profile_id, grants: […]}", "The grants of ?profile=, with the keys of a profile."),
                Route.post("/grants", JSON, this::put)
                        .answers(
                                "{profile_id, grant, sandboxes}",
                                "Adds a grant to ?profile=, in place of one of that name; in force at once."),
                Route.delete("/grants/{name}", this::revoke)
                        .answers("{profile_id, name, revoked, sandboxes}", "Revokes one of ?profile=."),
                Route.post("/grants/{name}/test", JSON, this::test)
                        .answers(
                                "{value, reason?, expires?, covers_host, covers_request, covers_place, ok}",
                                "Whether its value can be had and would go out with {host, method, path, place}."));
    }

    HttpAnswer secrets(RouteCall call) {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("secrets");
        guarded(() -> {
            Map<SecretName, Instant> setAt = secrets.setAt();
            secrets.list().forEach(name -> {
                ObjectNode one = all.addObject().put("name", name.value());
                Optional.ofNullable(setAt.get(name)).ifPresent(at -> one.put("set_at", at.toString()));
                ArrayNode using = one.putArray("grants");
                grants.using(name).forEach(using::add);
            });
            json.set("grants", grants.list(Optional.empty()).path("grants"));
            return store(json);
        });
        return HttpAnswer.json(json);
    }

    private ObjectNode store(ObjectNode json) {
        return json.put("encrypted", secrets.isEncrypted()).put("key", secrets.keyPlace());
    }

    HttpAnswer setSecret(RouteCall call) {
        SecretName name = secretName(call);
        byte[] value = call.request().body().read(Secret.CHARS_MAX);
        Secret secret;
        try {
            secret = new Secret(new String(value, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_SECRET, String.valueOf(e.getMessage()), "send the value as the body", e);
        }
        guarded(() -> {
            secrets.set(name, secret, clock.instant().truncatedTo(ChronoUnit.SECONDS));
            return true;
        });
        return HttpAnswer.json(Json.object()
                .put("name", name.value())
                .put("set", true)
                .put("sandboxes", grants.changed(name).targets()));
    }

    HttpAnswer removeSecret(RouteCall call) {
        SecretName name = secretName(call);
        if (!guarded(() -> secrets.remove(name))) {
            throw new ServiceProblem(
                    ServiceProblem.Code.SECRET_NOT_FOUND,
                    "there is no secret " + name,
                    "see which: `capsem secret list`");
        }
        grants.changed(name);
        return HttpAnswer.json(Json.object().put("name", name.value()).put("removed", true));
    }

    HttpAnswer moveKey(RouteCall call) {
        String place = JsonMembers.of(call.json(), "").text("place");
        if (!guarded(() -> secrets.moveKey(place))) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_SECRET,
                    "the key is kept in a file or in the keyring",
                    "say file or keyring");
        }
        return HttpAnswer.json(guarded(() -> store(Json.object())));
    }

    private static SecretName secretName(RouteCall call) {
        String name = call.variable("name");
        if (!SecretName.isValid(name)) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_SECRET, "a secret's name has " + SecretName.FORM, "choose another name");
        }
        return new SecretName(name);
    }

    HttpAnswer list(RouteCall call) {
        return HttpAnswer.json(grants.list(call.query("profile")));
    }

    HttpAnswer put(RouteCall call) {
        return HttpAnswer.json(grants.put(call.query("profile"), Json.text(call.json())));
    }

    HttpAnswer revoke(RouteCall call) {
        return HttpAnswer.json(grants.revoke(call.query("profile"), call.variable("name")));
    }

    HttpAnswer test(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        Optional<GrantDesk.Trial> trial = body.optionalText("host")
                .map(host -> new GrantDesk.Trial(
                        host,
                        body.optionalText("method").orElse("GET"),
                        body.optionalText("path").orElse("/"),
                        body.optionalText("place")));
        return HttpAnswer.json(grants.test(call.query("profile"), call.variable("name"), trial));
    }

    private static <T> T guarded(Supplier<T> work) {
        try {
            return work.get();
        } catch (ProfileException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.OPERATION_FAILED,
                    String.valueOf(e.getMessage()),
                    "see the message; is the disk full?",
                    e);
        }
    }
}
