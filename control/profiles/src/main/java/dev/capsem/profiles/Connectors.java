package dev.capsem.profiles;

import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.mcp.McpServerReader;
import dev.capsem.profiles.mcp.ServerName;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Layer;
import dev.capsem.source.LineIndex;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.tree.Fields;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Answers for `/mcp/connectors`: what there is, and whether an entry may be added or removed. Writing the
/// person's file is somebody else's job.
public final class Connectors {
    public static final String MODE = "settings_profiles_v2";

    private final EffectiveProfile profile;

    public Connectors(EffectiveProfile profile) {
        this.profile = profile;
    }

    /// What a request came to.
    public sealed interface Outcome {
        /// @param server to be written into the person's profile
        record Accepted(McpServer server) implements Outcome {}

        /// To be taken out of the person's profile.
        record Removable(ServerName server) implements Outcome {}

        /// @param code `invalid`, `server_exists`, `server_is_locked` or `unknown_server`
        record Refused(int status, String code, String message) implements Outcome {}
    }

    /// A `POST` body: which profile it is for, and the server.
    ///
    /// @param id empty if the body names none
    public record Request(Optional<String> profile, String id, JsonValue.Members server, String text) {}

    /// The reply of `GET /mcp/connectors`, sorted by id. Tokens appear as references.
    public JsonValue.Members list() {
        return JsonValue.members()
                .put("mode", MODE)
                .put("profile_id", profile.id().value())
                .put(
                        "servers",
                        JsonValue.items(
                                profile.entries().values().stream()
                                        .filter(owned -> owned.entry() instanceof ServerEntry)
                                        .toList(),
                                this::entry))
                .build();
    }

    /// One server of the list; the reply of `POST` too.
    public JsonValue.Members entry(OwnedEntry owned) {
        McpServer server = ((ServerEntry) owned.entry()).server();
        boolean isDirect = isDirect(owned);
        return JsonValue.members()
                .put("id", server.name().value())
                .put("source_profile", owned.provenance().profile().value())
                .put("source", owned.provenance().layer().wireName())
                .put("direct", isDirect)
                .put("editable", isDirect && isEditable(owned, server))
                .put("server", server.toJson())
                .put("provenance", EffectiveJson.provenance(owned.provenance()))
                .build();
    }

    private boolean isDirect(OwnedEntry owned) {
        return owned.provenance().layer() == Layer.USER
                && owned.provenance().profile().equals(profile.id());
    }

    private boolean isEditable(OwnedEntry owned, McpServer server) {
        return profile.isEditable(Section.MCP_SERVERS) && !owned.provenance().locked() && server.editable();
    }

    /// Reads a body; empty if it is not an object with an id.
    public static Optional<Request> parse(String body) {
        if (!(JsonReader.read(body) instanceof JsonReading.Parsed parsed)
                || !(parsed.document().root() instanceof JsonValue.Members root)
                || !(root.get("id").orElse(JsonValue.none()) instanceof JsonValue.Text id)) {
            return Optional.empty();
        }
        Optional<String> profile = root.get("profile")
                .or(() -> root.get("profile_id"))
                .filter(JsonValue.Text.class::isInstance)
                .map(value -> ((JsonValue.Text) value).value());
        Map<String, JsonValue> server = new LinkedHashMap<>(root.map());
        JsonValue enabled = server.remove("enabled");
        server.keySet().removeAll(Set.of("id", "profile", "profile_id"));
        if (enabled != null && !server.containsKey("capsem")) {
            server.put("capsem", JsonValue.members().put("enabled", enabled).build());
        }
        return Optional.of(new Request(profile, id.value(), new JsonValue.Members(server, root.offset()), body));
    }

    public Outcome add(Request request) {
        Optional<String> fault = ServerName.fault(request.id());
        if (fault.isPresent()) {
            return new Outcome.Refused(400, "invalid", fault.get());
        }
        ServerName name = new ServerName(request.id());
        if (!profile.isEditable(Section.MCP_SERVERS)) {
            return locked(name, "mcpServers is locked in " + profile.id());
        }
        if (profile.forbidden().contains("mcpServers." + name)) {
            return locked(name, "your company forbids it");
        }
        OwnedEntry present = profile.entries().get("mcpServers." + name);
        // What was found in other programs' settings has the least say, so a person's entry replaces it.
        if (present != null && present.provenance().layer() != Layer.DETECTED) {
            return new Outcome.Refused(409, "server_exists", "server_exists: mcpServers." + name);
        }
        Problems problems = new Problems();
        LineIndex lines = new LineIndex(request.text());
        Fields fields = new Fields(
                request.server(), "", offset -> Place.at("request", lines.position(Math.max(0, offset))), problems);
        Optional<McpServer> server = McpServerReader.read(name, "manual", true, fields);
        return server.<Outcome>map(Outcome.Accepted::new).orElseGet(() -> {
            String message = problems.list().stream()
                    .filter(Problem::isError)
                    .map(Problem::toString)
                    .reduce((first, second) -> first + "\n" + second)
                    .orElse("the server is not valid");
            return new Outcome.Refused(400, "invalid", message);
        });
    }

    public Outcome remove(String id) {
        OwnedEntry owned = profile.entries().get("mcpServers." + id);
        if (owned == null || !(owned.entry() instanceof ServerEntry entry)) {
            return new Outcome.Refused(404, "unknown_server", "there is no MCP server " + id + " in " + profile.id());
        }
        ServerName name = entry.server().name();
        if (!isDirect(owned) || !isEditable(owned, entry.server())) {
            return locked(name, "it belongs to " + owned.provenance());
        }
        return new Outcome.Removable(name);
    }

    /// The reply of `DELETE`.
    public JsonValue.Members removed(ServerName name) {
        return JsonValue.members()
                .put("mode", MODE)
                .put("profile_id", profile.id().value())
                .put("server_id", name.value())
                .put("removed", true)
                .build();
    }

    public ProfileId profileId() {
        return profile.id();
    }

    private static Outcome locked(ServerName name, String why) {
        return new Outcome.Refused(409, "server_is_locked", "server_is_locked: mcpServers." + name + ": " + why);
    }
}
