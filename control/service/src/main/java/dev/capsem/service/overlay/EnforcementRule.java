package dev.capsem.service.overlay;

import dev.capsem.events.security.RuleId;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.rulecheck.RuleText;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A rule of the runtime overlay, as its author gave it.
///
/// @param on the type of event
/// @param condition CEL
/// @param zone in which it reads the time; UTC if none
public record EnforcementRule(
        String id,
        Optional<String> packId,
        String on,
        int priority,
        String condition,
        String decision,
        Optional<String> reason,
        Optional<String> zone,
        boolean enabled) {
    public static final int PRIORITY_DEFAULT = 100;

    private static final Set<String> MEMBERS =
            Set.of("id", "pack_id", "on", "priority", "condition", "decision", "reason", "zone", "enabled");
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.:-]{1,128}");
    /// Keeps names of the overlay apart from those of profiles.
    private static final String PREFIX = "overlay_";
    private static final int NAME_CHARS_MAX = 64;

    /// Refuses what is not such a rule; whether it compiles is asked later.
    public static EnforcementRule fromJson(JsonNode body) {
        JsonMembers json = JsonMembers.of(body, "");
        refuseUnknown(body, MEMBERS);
        String id = checkedId(json.text("id"));
        String decision = json.text("decision");
        if (decision.equals("ask")) {
            throw new ServiceProblem(
                    ServiceProblem.Code.ASK_REFUSED,
                    "a runtime rule does not ask: it allows or blocks",
                    "write a rule that asks into a profile: `capsem rules add`");
        }
        return new EnforcementRule(
                id,
                json.optionalText("pack_id"),
                json.text("on"),
                json.integer("priority", PRIORITY_DEFAULT),
                json.text("condition"),
                decision,
                json.optionalText("reason"),
                json.optionalText("zone"),
                json.flag("enabled", true));
    }

    static void refuseUnknown(JsonNode body, Set<String> known) {
        body.propertyNames().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new ServiceProblem(
                            ServiceProblem.Code.WRONG_SHAPE,
                            "there is no member " + name.substring(0, Math.min(name.length(), 64)),
                            "use " + String.join(", ", known.stream().sorted().toList()));
                });
    }

    static String checkedId(String id) {
        if (!ID.matcher(id).matches()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_RULE_ID,
                    "an id has 1 to 128 letters, digits and - _ . :",
                    "choose another id");
        }
        return id;
    }

    /// The name under which the engine knows it.
    public RuleId effectiveId() {
        String family = on.contains(".") ? on.substring(0, on.indexOf('.')) : on;
        String name = PREFIX + id.replaceAll("[^A-Za-z0-9_-]", "_");
        String shortened = name.length() > NAME_CHARS_MAX
                ? name.substring(0, NAME_CHARS_MAX - 9) + "_" + hash(id).substring(0, 8)
                : name;
        try {
            return RuleId.of(family, shortened);
        } catch (IllegalArgumentException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_RULE,
                    "on is not a type of event that rules judge",
                    "use http.request, http.response, dns.request, mcp.request, model.request, process.exec, …",
                    e);
        }
    }

    /// The rule under its header.
    public String toml() {
        StringBuilder toml = new StringBuilder("[" + effectiveId() + "]\n");
        toml.append("on = ").append(RuleText.quoted(on)).append('\n');
        toml.append("if = ").append(RuleText.quoted(condition)).append('\n');
        toml.append("decision = ").append(RuleText.quoted(decision)).append('\n');
        toml.append("priority = ").append(priority).append('\n');
        reason.ifPresent(
                text -> toml.append("reason = ").append(RuleText.quoted(text)).append('\n'));
        zone.ifPresent(
                name -> toml.append("zone = ").append(RuleText.quoted(name)).append('\n'));
        return toml.toString();
    }

    /// Names the condition, so that two who compiled can see that they compiled the same.
    public String plan() {
        return "cel:" + hash(condition);
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("id", id);
        packId.ifPresent(pack -> json.put("pack_id", pack));
        json.put("on", on).put("priority", priority).put("condition", condition).put("decision", decision);
        reason.ifPresent(text -> json.put("reason", text));
        zone.ifPresent(name -> json.put("zone", name));
        return json.put("enabled", enabled);
    }
}
