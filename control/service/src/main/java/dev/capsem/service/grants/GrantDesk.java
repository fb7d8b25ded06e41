package dev.capsem.service.grants;

import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.Setting;
import dev.capsem.profiles.grant.GrantJson;
import dev.capsem.profiles.grant.GrantReader;
import dev.capsem.profiles.grant.GrantSource;
import dev.capsem.profiles.grant.GrantValues;
import dev.capsem.profiles.grant.GrantValues.Fetched;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.UserProfiles;
import dev.capsem.profiles.secret.SecretName;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.ProfileJson;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.reload.Propagation;
import dev.capsem.service.reload.Reloads;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.tree.Fields;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Lists, adds, revokes and tries grants.
public final class GrantDesk {
    private final Profiles profiles;
    private final UserProfiles users;
    private final Reloads reloads;
    private final GrantValues values;

    /// @param values asked only by [#test]
    public GrantDesk(Profiles profiles, Reloads reloads, GrantValues values) {
        this.profiles = profiles;
        this.users = new UserProfiles(profiles.folders());
        this.reloads = reloads;
        this.values = values;
    }

    private EffectiveProfile profile(Optional<String> id) {
        return profiles.required(id).profile();
    }

    public ObjectNode list(Optional<String> profileId) {
        EffectiveProfile profile = profile(profileId);
        ObjectNode json = Json.object().put("profile_id", profile.id().value());
        ArrayNode grants = json.putArray("grants");
        profile.entries().values().stream()
                .filter(owned -> owned.entry() instanceof GrantEntry)
                .forEach(owned -> grants.add(row(owned)));
        return json;
    }

    private static ObjectNode row(OwnedEntry owned) {
        ObjectNode json = ProfileJson.object(GrantJson.write(((GrantEntry) owned.entry()).grant()));
        json.set("provenance", ProfileJson.object(EffectiveJson.provenance(owned.provenance())));
        return json;
    }

    /// The grants of the profile of sandboxes that name none, by the secret of the store that they use.
    public List<String> using(SecretName secret) {
        return profile(Optional.empty()).grants().stream()
                .filter(grant -> uses(grant.source(), secret))
                .map(ProfileGrant::name)
                .toList();
    }

    private static boolean uses(GrantSource source, SecretName secret) {
        return switch (source) {
            case GrantSource.Stored stored -> stored.name().equals(secret);
            case GrantSource.Vault vault -> uses(vault.token(), secret);
            case GrantSource.ClientCredentials client -> uses(client.clientSecret(), secret);
            case GrantSource.Variable _,
                    GrantSource.HostFile _,
                    GrantSource.JsonFile _,
                    GrantSource.KeyringEntry _,
                    GrantSource.Program _ -> false;
        };
    }

    /// Tells the running sandboxes whose grants use this secret that it has another value, or none.
    public Propagation changed(SecretName secret) {
        return reloads.of(profile -> profile.grants().stream().anyMatch(grant -> uses(grant.source(), secret)));
    }

    /// Adds a grant to a profile of the person, in place of one of that name. In force when it answers.
    ///
    /// @param grant JSON with the keys of a profile
    public ObjectNode put(Optional<String> profileId, String grant) {
        EffectiveProfile profile = profile(profileId);
        ProfileGrant read = read(grant);
        requireOpen(profile, read.name());
        edit(() -> users.put(profile.id(), read));
        Propagation told = reloads.all();
        EffectiveProfile now = profile(Optional.of(profile.id().value()));
        OwnedEntry owned = now.entry(GrantEntry.PATH + read.name())
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.BAD_GRANT,
                        "the grant was written but is not in force: " + notices(now),
                        "see what stands in its way: `capsem profiles show --effective`"));
        ObjectNode json = Json.object().put("profile_id", now.id().value()).put("sandboxes", told.targets());
        json.set("grant", row(owned));
        return json;
    }

    private static String notices(EffectiveProfile profile) {
        return profile.notices().stream()
                .map(Problem::message)
                .filter(message -> message.startsWith(GrantEntry.PATH))
                .findFirst()
                .orElse("another layer has it");
    }

    private static ProfileGrant read(String json) {
        Problems problems = new Problems();
        Optional<ProfileGrant> grant = JsonReader.read(json) instanceof JsonReading.Parsed parsed
                        && parsed.document().root() instanceof JsonValue.Members members
                ? GrantReader.read(new Fields(members, "", _ -> Place.start("grant"), problems), Setting::variableFault)
                : Optional.empty();
        return grant.orElseThrow(() -> new ServiceProblem(
                ServiceProblem.Code.BAD_GRANT,
                problems.list().stream()
                        .map(Problem::message)
                        .findFirst()
                        .orElse("a grant is a JSON object with the keys of a profile"),
                "docs/give-an-agent-a-key.md shows grants"));
    }

    private static void requireOpen(EffectiveProfile profile, String name) {
        boolean isLocked = profile.entry(GrantEntry.PATH + name)
                .filter(owned ->
                        owned.provenance().locked() || owned.provenance().layer() == Layer.CORP)
                .isPresent();
        if (isLocked || !profile.isEditable(Section.GRANTS)) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOT_EDITABLE,
                    isLocked ? "your company has a grant " + name : "your company has closed grants",
                    "see whose it is: `capsem profiles show --effective`");
        }
    }

    public ObjectNode revoke(Optional<String> profileId, String name) {
        EffectiveProfile profile = profile(profileId);
        OwnedEntry owned = owned(profile, name);
        requireOpen(profile, name);
        if (owned.provenance().layer() != Layer.USER
                || !owned.provenance().profile().equals(profile.id())) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOT_EDITABLE,
                    "the grant " + name + " is of " + owned.provenance(),
                    "revoke it there: `capsem secret revoke " + name + " --profile "
                            + owned.provenance().profile() + "`");
        }
        edit(() -> users.removeGrant(profile.id(), name));
        Propagation told = reloads.all();
        return Json.object()
                .put("profile_id", profile.id().value())
                .put("name", name)
                .put("revoked", true)
                .put("sandboxes", told.targets());
    }

    private static OwnedEntry owned(EffectiveProfile profile, String name) {
        return profile.entry(GrantEntry.PATH + name)
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.GRANT_NOT_FOUND,
                        "the profile " + profile.id() + " has no grant " + name,
                        "see which: `capsem secret list`"));
    }

    private static void edit(Supplier<UserProfiles.Edit> change) {
        try {
            if (change.get() instanceof UserProfiles.Edit.Refused refused) {
                throw new ServiceProblem(
                        ServiceProblem.Code.BAD_GRANT, Profiles.text(refused.problems()), "edit the file, then reload");
            }
        } catch (ProfileException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.OPERATION_FAILED,
                    String.valueOf(e.getMessage()),
                    "see the message; is the disk full?",
                    e);
        }
    }

    /// A request that is only thought of.
    ///
    /// @param place as profiles spell it; any of the grant's if empty
    public record Trial(String host, String method, String path, Optional<String> place) {}

    /// Whether the value can be had, and whether it would go out with this request. Fetches it once and forgets it.
    public ObjectNode test(Optional<String> profileId, String name, Optional<Trial> trial) {
        EffectiveProfile profile = profile(profileId);
        ProfileGrant grant = ((GrantEntry) owned(profile, name).entry()).grant();
        ObjectNode json = Json.object()
                .put("profile_id", profile.id().value())
                .put("name", name)
                .put("source", grant.source().text());
        boolean isFound = value(json, grant);
        boolean isCovered = trial.isEmpty() || covers(json, grant, trial.get());
        return json.put("ok", isFound && isCovered);
    }

    private boolean value(ObjectNode json, ProfileGrant grant) {
        return switch (values.fetch(grant.source())) {
            case Fetched.Missing(String reason) -> {
                json.put("value", "missing").put("reason", reason);
                yield false;
            }
            case Fetched.Value value -> {
                json.put("value", "found");
                value.expires().ifPresent(at -> json.put("expires", at.toString()));
                yield true;
            }
        };
    }

    private static boolean covers(ObjectNode json, ProfileGrant grant, Trial trial) {
        boolean isHost = grant.coversHost(trial.host());
        boolean isRequest = grant.covers(trial.method(), trial.path());
        boolean isPlace = trial.place().map(grant::names).orElse(true);
        json.put("covers_host", isHost).put("covers_request", isRequest).put("covers_place", isPlace);
        return isHost && isRequest && isPlace;
    }
}
