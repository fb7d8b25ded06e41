package dev.capsem.sandboxserver.workspaces;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A named workspace.
///
/// @param revisions oldest first; old ones may have been dropped
/// @param attached where it is in which sandbox
record SharedWorkspace(String name, Instant createdAt, List<Revision> revisions, Map<String, String> attached) {
    SharedWorkspace {
        revisions = List.copyOf(revisions);
        attached = Map.copyOf(attached);
    }

    Optional<Revision> head() {
        return revisions.isEmpty() ? Optional.empty() : Optional.of(revisions.getLast());
    }

    Optional<Revision> revision(int number) {
        return revisions.stream().filter(one -> one.number() == number).findFirst();
    }

    SharedWorkspace with(Revision next, int keep) {
        List<Revision> all = new ArrayList<>(revisions);
        all.add(next);
        return new SharedWorkspace(name, createdAt, all.subList(Math.max(0, all.size() - keep), all.size()), attached);
    }

    SharedWorkspace attachedTo(String sandbox, Optional<String> path) {
        Map<String, String> now = new TreeMap<>(attached);
        path.ifPresentOrElse(where -> now.put(sandbox, where), () -> now.remove(sandbox));
        return new SharedWorkspace(name, createdAt, revisions, now);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("name", name)
                .put("created_at", createdAt.toString())
                .put("head", head().map(Revision::number).orElse(0))
                .put("revisions", revisions.size());
        ObjectNode where = json.putObject("attached");
        new TreeMap<>(attached).forEach(where::put);
        return json;
    }

    ObjectNode toFile() {
        ObjectNode json = toJson();
        ArrayNode all = json.putArray("revisions");
        revisions.forEach(one -> all.add(one.toJson()));
        return json;
    }

    static SharedWorkspace fromFile(JsonMembers json) {
        return new SharedWorkspace(
                json.text("name"),
                Instant.parse(json.text("created_at")),
                json.objects("revisions").stream().map(Revision::fromJson).toList(),
                json.textMap("attached"));
    }
}
