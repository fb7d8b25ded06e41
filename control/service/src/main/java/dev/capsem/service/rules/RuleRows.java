package dev.capsem.service.rules;

import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Layer;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tomlj.Toml;
import org.tomlj.TomlTable;
import tools.jackson.databind.node.ObjectNode;

/// Rules of a profile as the API shows them.
final class RuleRows {
    private RuleRows() {}

    /// @param counts how often each rule decided, where that is known
    static ObjectNode row(EffectiveProfile profile, OwnedEntry owned, Map<String, Long> counts) {
        RuleEntry rule = (RuleEntry) owned.entry();
        Provenance provenance = owned.provenance();
        ObjectNode body = body(rule);
        ObjectNode json = Json.object()
                .put("id", rule.id().value())
                .put("effective_id", rule.id().value())
                .put("rule_type", rule.id().type())
                .put("source_profile", provenance.profile().value())
                .put("callback", rule.on().orElse(""))
                .put("condition", body.path("if").asString(""))
                .put("decision", rule.decision().orElse(""))
                .put("priority", rule.priority())
                .put("derived", provenance.layer() == Layer.DERIVED)
                .put("editable", isEditable(profile, owned));
        ObjectNode from = json.putObject("provenance")
                .put("profile_id", provenance.profile().value())
                .put("source", provenance.layer().wireName())
                .put("path", provenance.place().file())
                .put("line", provenance.place().line())
                .put("toml_path", rule.id().value())
                .put("locked", provenance.locked());
        provenance.reason().ifPresent(reason -> from.put("reason", reason));
        Optional.ofNullable(counts.get(rule.id().value())).ifPresent(count -> json.put("match_count", count));
        json.set("rule", body);
        return json;
    }

    static boolean isEditable(EffectiveProfile profile, OwnedEntry owned) {
        return owned.provenance().layer() == Layer.USER
                && owned.provenance().profile().equals(profile.id())
                && !owned.provenance().locked()
                && profile.isEditable(Section.SECURITY_RULES);
    }

    /// The keys as their author wrote them.
    private static ObjectNode body(RuleEntry rule) {
        TomlTable table = Toml.parse(rule.text())
                .getTable(
                        List.of("security", "rules", rule.id().type(), rule.id().name()));
        try {
            if (table == null) {
                return Json.object();
            }
            ObjectNode body = (ObjectNode) Json.parse(table.toJson().getBytes(StandardCharsets.UTF_8));
            // Lists come from files of their own.
            body.remove("lists");
            return body;
        } catch (JsonShapeException e) {
            return Json.object();
        }
    }
}
