package dev.capsem.sandboxserver.templates;

import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.state.StateFile;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.ProvisionRequest;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Finds what an id stands for and makes a running sandbox of it. In this order: a registered template, a profile, a
/// sandbox, persistent or not, running or not.
public final class Templates {
    /// The profile that the owner of this installation chose.
    public static final String CHOSEN = "default";

    public static final int TEMPLATES_MAX = 1_000;

    private final StateFile file;
    private final Profiles profiles;
    private final Sandboxes sandboxes;
    private final Map<String, SandboxTemplate> registered = new ConcurrentHashMap<>();

    public Templates(StateFile file, Profiles profiles, Sandboxes sandboxes) {
        this.file = file;
        this.profiles = profiles;
        this.sandboxes = sandboxes;
        file.read(json -> JsonMembers.of(json, "").objects("templates").stream()
                        .map(SandboxTemplate::fromFile)
                        .toList())
                .ifPresent(all -> all.forEach(template -> registered.put(template.id(), template)));
    }

    public Collection<SandboxTemplate> registered() {
        return registered.values().stream()
                .sorted(Comparator.comparing(SandboxTemplate::id))
                .toList();
    }

    /// The template as it is from now on: one that is there and says the same stays as it is.
    public synchronized SandboxTemplate register(SandboxTemplate wished) {
        SandboxTemplate known = registered.get(wished.id());
        if (known != null && known.isSameAs(wished)) {
            return known;
        }
        if (known != null || isProfile(wished.id())) {
            throw ApiProblem.conflict(
                    "there is another template of this id", "choose another id, or use the one that is there");
        }
        if (registered.size() >= TEMPLATES_MAX) {
            throw new ApiProblem(
                            ApiProblem.Code.QUOTA_EXCEEDED,
                            "there are " + TEMPLATES_MAX + " templates, which is the limit",
                            "use one that is there")
                    .with("limit", TEMPLATES_MAX);
        }
        registered.put(wished.id(), wished);
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("templates");
        registered().forEach(template -> all.add(template.toFile()));
        file.write(json);
        return wished;
    }

    public boolean isRegistered(String id) {
        return registered.containsKey(id);
    }

    public boolean isProfile(String id) {
        return ProfileId.isValid(id)
                && (id.equals(CHOSEN) || profiles.library().ids().contains(new ProfileId(id)));
    }

    /// The profile that a fork of this would have; empty if there is no such thing.
    public Optional<String> profileOf(String source) {
        SandboxTemplate template = registered.get(source);
        if (template != null) {
            return template.image().isPresent()
                    ? profileOfSandbox(template.image().get())
                    : Optional.of(template.profile());
        }
        return isProfile(source) ? Optional.of(source) : profileOfSandbox(source);
    }

    private Optional<String> profileOfSandbox(String id) {
        return sandboxes.all().stream()
                .filter(one -> one.id().value().equals(id))
                .map(one -> one.facts().profileId())
                .findFirst();
    }

    /// @param name of the new sandbox; made up when absent
    public Sandboxes.Provisioned fork(String source, Optional<String> name) {
        SandboxTemplate template = registered.get(source);
        if (template != null) {
            return provision(template, name);
        }
        if (isProfile(source)) {
            return provision(
                    new SandboxTemplate(
                            source, source, Optional.empty(), Optional.empty(), Optional.empty(), Instant.EPOCH),
                    name);
        }
        return branch(source, name);
    }

    private Sandboxes.Provisioned provision(SandboxTemplate template, Optional<String> name) {
        ProvisionRequest request = new ProvisionRequest(
                name,
                template.ramMb(),
                template.cpus(),
                false,
                Map.of(),
                template.image(),
                Optional.empty(),
                template.image().isPresent() ? Optional.empty() : Optional.of(template.profile()));
        return sandboxes.provision(request, SessionLedger.Mode.TEMPORARY, Optional.empty());
    }

    private Sandboxes.Provisioned branch(String source, Optional<String> name) {
        try {
            return sandboxes.branch(source, name);
        } catch (ServiceProblem e) {
            if (e.code() != ServiceProblem.Code.SANDBOX_NOT_FOUND) {
                throw e;
            }
            throw new ApiProblem(
                            ApiProblem.Code.NOT_FOUND,
                            "there is no such template, image or sandbox",
                            "see which there are: GET /v1/templates, GET /v1/sandboxes")
                    .because("nothing is called " + source);
        }
    }
}
