package dev.capsem.mcp.pin;

import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/// All tools of a profile as they were last seen. Cannot change; a review makes the next one.
public final class ToolPins {
    public static final ToolPins NONE = new ToolPins(new TreeMap<>(), false);

    /// The members of every tool's definition. Behind them comes whatever else its server says of it.
    private static final List<String> PINNED =
            List.of("name", "title", "description", "inputSchema", "outputSchema", "annotations");

    /// These say nothing to a model.
    private static final Set<String> UNPINNED = Set.of("_meta", "icons");

    /// Of a tool's suspicious words; the rest is in the diff.
    private static final int TELLING_SHOWN_MAX = 3;

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    /// The name of a member that can stand in a path as it is.
    private static final Pattern PLAIN_MEMBER = Pattern.compile("[A-Za-z0-9_$-]+");

    /// The description of a tool that waits for a person, for models.
    private static final String NEUTRAL =
            "This tool is new or has changed. It can be used once the person at the host has approved it.";

    private final NavigableMap<String, ToolPin> pins;
    private final boolean isDoubted;

    private ToolPins(NavigableMap<String, ToolPin> pins, boolean isDoubted) {
        this.pins = pins;
        this.isDoubted = isDoubted;
    }

    /// The same where others were lost: a server that is not among them may have been known, so that nothing of it
    /// is taken as it is.
    public ToolPins doubted() {
        return new ToolPins(pins, true);
    }

    /// The differences since the last time.
    public sealed interface Change {
        String key();

        /// Its server was known, the tool was not.
        record Added(String key) implements Change {}

        /// @param diff lines that begin with `-` (before) or `+` (now)
        record Altered(String key, List<String> diff) implements Change {}

        /// Everything but the name is as it was.
        record Renamed(String from, String key) implements Change {}

        record Removed(String key) implements Change {}
    }

    /// @param pins what to keep for the next review
    /// @param suspicions what the words of the tools are up to
    public record Review(ToolPins pins, List<Change> changes, List<ToolSuspicion> suspicions) {
        public Review {
            changes = List.copyOf(changes);
            suspicions = List.copyOf(suspicions);
        }
    }

    public Collection<ToolPin> all() {
        return pins.values().stream().filter(pin -> !pin.isOfServerAlone()).toList();
    }

    /// Tools of a server that was never seen are taken as they are: whoever added the server saw to that. Whatever
    /// appears or changes later waits for a person, and so does a tool whose words are suspicious.
    public Review review(List<CatalogEntry> catalog, Instant now) {
        return review(catalog, Set.of(), now);
    }

    /// @param empty servers that were asked for their tools and have none: what they show later is not the first that
    ///     anybody saw of them
    public Review review(List<CatalogEntry> catalog, Set<String> empty, Instant now) {
        List<ToolSuspicion> suspicions = ToolSuspicion.in(catalog);
        Set<String> heldBack = suspicions.stream()
                .filter(ToolSuspicion::holdsBack)
                .map(ToolSuspicion::key)
                .collect(Collectors.toSet());
        Set<String> known = servers();
        TreeMap<String, ToolPin> next = new TreeMap<>();
        List<Change> changes = new ArrayList<>();
        pins.values().forEach(pin -> next.put(pin.key(), pin.gone()));
        for (CatalogEntry entry : catalog) {
            if (entry.server().equals(ServerDefinition.LOCAL)) {
                // The host's own tools change only with this program.
                continue;
            }
            boolean isTaken = !isDoubted && !known.contains(entry.server()) && !heldBack.contains(entry.key());
            next.put(entry.key(), seen(entry, now, isTaken));
        }
        Map<ToolPin.Words, String> gone = new HashMap<>();
        next.values().stream()
                .filter(pin -> !pin.isListed() && wasListed(pin))
                .forEach(pin -> gone.putIfAbsent(pin.words(), pin.key()));
        next.values().stream()
                .map(pin -> change(pin, known, gone))
                .flatMap(Optional::stream)
                .sorted(Comparator.comparing(Change::key))
                .forEach(changes::add);
        // One that nobody agreed to and that is gone is as new when it comes back: it need not be remembered. A server
        // that changes all its names at each look would fill memory and disk with them.
        next.values().removeIf(pin -> !pin.isListed() && pin.agreed().isEmpty() && !pin.isOfServerAlone());
        Set<String> left = next.values().stream().map(ToolPin::server).collect(Collectors.toSet());
        Stream.concat(known.stream(), empty.stream())
                .filter(server -> !left.contains(server))
                .map(server -> ToolPin.ofServerAlone(server, hash(Json.object()), now))
                .forEach(met -> next.put(met.key(), met));
        return new Review(new ToolPins(next, isDoubted), changes, suspicions);
    }

    private Set<String> servers() {
        return pins.values().stream().map(ToolPin::server).collect(Collectors.toSet());
    }

    /// @param isTaken whether it counts as agreed to if it is new
    private ToolPin seen(CatalogEntry entry, Instant now, boolean isTaken) {
        ObjectNode definition = canonical(entry.definition());
        String hash = hash(definition);
        ToolPin before = pins.get(entry.key());
        if (before != null && before.hash().equals(hash)) {
            return new ToolPin(
                    entry.key(),
                    entry.server(),
                    entry.original(),
                    hash,
                    definition,
                    before.firstSeen(),
                    now,
                    before.agreed(),
                    true);
        }
        return new ToolPin(
                entry.key(),
                entry.server(),
                entry.original(),
                hash,
                definition,
                before == null ? now : before.firstSeen(),
                now,
                before == null ? Optional.of(definition).filter(_ -> isTaken) : before.agreed(),
                true);
    }

    /// @param known servers that were met before
    /// @param gone tools that were listed until now, by their words
    private Optional<Change> change(ToolPin now, Set<String> known, Map<ToolPin.Words, String> gone) {
        ToolPin before = pins.get(now.key());
        if (before == null) {
            if (!known.contains(now.server())) {
                return Optional.empty();
            }
            return Optional.of(Optional.ofNullable(gone.isEmpty() ? null : gone.get(now.words()))
                    .<Change>map(from -> new Change.Renamed(from, now.key()))
                    .orElseGet(() -> new Change.Added(now.key())));
        }
        if (!now.isListed()) {
            return before.isListed() ? Optional.of(new Change.Removed(now.key())) : Optional.empty();
        }
        return before.hash().equals(now.hash())
                ? Optional.empty()
                : Optional.of(new Change.Altered(now.key(), diff(before.definition(), now.definition())));
    }

    private boolean wasListed(ToolPin pin) {
        ToolPin before = pins.get(pin.key());
        return before != null && before.isListed();
    }

    /// A person agreed to the tool as it is now.
    public ToolPins approve(String key) {
        ToolPin pin = pins.get(key);
        if (pin == null) {
            return this;
        }
        TreeMap<String, ToolPin> next = new TreeMap<>(pins);
        next.put(key, pin.approved());
        return new ToolPins(next, isDoubted);
    }

    /// How a tool differs from what was last agreed to: lines that begin with `-` (before) or `+` (now).
    public static List<String> difference(ToolPin pin) {
        return pin.isApproved() || !pin.isListed()
                ? List.of()
                : diff(pin.agreed().orElseGet(Json::object), pin.definition());
    }

    public boolean isKnown(String key) {
        return pins.containsKey(key);
    }

    /// Whether the definition is the one that was last seen; the host's own always are.
    boolean isAsPinned(CatalogEntry entry) {
        ToolPin pin = pins.get(entry.key());
        return entry.server().equals(ServerDefinition.LOCAL)
                || (pin != null && pin.definition().equals(canonical(entry.definition())));
    }

    /// The tool as a model may read it: no word that nobody agreed to, except the name, without which nobody could
    /// be asked.
    CatalogEntry shown(CatalogEntry entry) {
        ToolPin pin = pins.get(entry.key());
        if (isAsPinned(entry) && (pin == null || pin.isApproved())) {
            return entry;
        }
        ObjectNode neutral = Json.object().put("name", entry.original()).put("description", NEUTRAL);
        neutral.putObject("inputSchema").put("type", "object");
        return new CatalogEntry(entry.kind(), entry.server(), entry.key(), entry.original(), neutral);
    }

    /// Names what the tool says it is.
    ///
    /// Requires: it is known.
    String version(String key) {
        ToolPin pin = pins.get(key);
        if (pin == null) {
            throw new IllegalStateException("a tool that was never seen has no version");
        }
        return pin.hash();
    }

    /// Why a person should be asked about a tool whose server does not list its tools.
    String unlisted(String key) {
        return "tool " + key + (isKnown(key) ? " may have changed" : " was never seen")
                + ": its server does not list its tools; see `capsem mcp list`";
    }

    /// Whether the tool was there when the catalog was last looked at.
    public boolean isListed(String key) {
        ToolPin pin = pins.get(key);
        return pin != null && pin.isListed();
    }

    /// Why a person should be asked before this tool runs, with the words that gave rise to it.
    public Optional<String> concern(String key) {
        ToolPin pin = pins.get(key);
        if (pin == null || pin.isApproved()) {
            return Optional.empty();
        }
        List<String> telling = telling(pin);
        String why = telling.isEmpty() ? "" : ": " + String.join("; ", telling);
        String state = pin.agreed().isPresent() ? " changed since it was approved" : " is not approved";
        return Optional.of("tool " + key + state + why + " (" + pin.hash().substring(0, 12)
                + "); see `capsem mcp diff`, agree with `capsem mcp approve SANDBOX " + word(key) + "`");
    }

    /// A server chose the name, and people copy commands: whatever a shell could take for more than a word stays out.
    private static String word(String key) {
        return WORD.matcher(key).matches() ? key : "TOOL";
    }

    private List<String> telling(ToolPin pin) {
        List<String> found = new ArrayList<>();
        for (ToolSuspicion suspicion : ToolSuspicion.in(catalogAround(pin))) {
            if (suspicion.key().equals(pin.key()) && suspicion.holdsBack() && found.size() < TELLING_SHOWN_MAX) {
                found.add(suspicion.shown());
            }
        }
        return found;
    }

    /// The tool last, so that it is the one that looks like another.
    private List<CatalogEntry> catalogAround(ToolPin pin) {
        List<CatalogEntry> catalog = new ArrayList<>();
        pins.values().stream()
                .filter(other -> !other.equals(pin) && other.isListed())
                .forEach(other -> catalog.add(other.entry()));
        catalog.add(pin.entry());
        return catalog;
    }

    // --- text ---------------------------------------------------------------------------------------------------

    public byte[] toJson() {
        ArrayNode array = Json.array();
        pins.values().forEach(pin -> array.add(pin.toJson()));
        return Json.bytes(array);
    }

    /// Throws [JsonShapeException] if it is not what [#toJson] wrote.
    public static ToolPins of(byte[] json) {
        TreeMap<String, ToolPin> pins = new TreeMap<>();
        for (JsonMembers pin :
                JsonMembers.of(Json.object().set("pins", Json.parse(json)), "").objects("pins")) {
            try {
                ObjectNode definition =
                        object(pin, "definition").orElseThrow(() -> pin.expected("definition", "an object"));
                Optional<ObjectNode> agreed =
                        pin.flag("approved") ? Optional.of(definition) : object(pin, "approved_definition");
                String key = pin.text("namespaced_name");
                pins.put(
                        key,
                        new ToolPin(
                                key,
                                pin.text("server_name"),
                                pin.text("original_name"),
                                pin.text("pin_hash"),
                                definition,
                                Instant.parse(pin.text("first_seen")),
                                Instant.parse(pin.text("last_seen")),
                                agreed,
                                pin.flag("listed", true)));
            } catch (DateTimeException e) {
                throw new JsonShapeException("a pin's time is not a time");
            }
        }
        return new ToolPins(pins, false);
    }

    private static Optional<ObjectNode> object(JsonMembers pin, String member) {
        return pin.node(member).filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast);
    }

    /// Members in the order of their names at every depth, so that only a change of meaning changes the hash.
    private static ObjectNode canonical(ObjectNode definition) {
        ObjectNode pinned = Json.object();
        for (String member : PINNED) {
            JsonNode value = definition.get(member);
            if (value != null) {
                pinned.set(member, sorted(value));
            }
        }
        definition
                .propertyStream()
                .filter(member -> !PINNED.contains(member.getKey()) && !UNPINNED.contains(member.getKey()))
                .sorted(Map.Entry.comparingByKey())
                .forEach(member -> pinned.set(member.getKey(), sorted(member.getValue())));
        return pinned;
    }

    private static JsonNode sorted(JsonNode value) {
        if (value.isObject()) {
            Map<String, JsonNode> members = new TreeMap<>();
            value.properties().forEach(member -> members.put(member.getKey(), sorted(member.getValue())));
            ObjectNode object = Json.object();
            members.forEach(object::set);
            return object;
        }
        if (value.isArray()) {
            ArrayNode array = Json.array();
            value.forEach(item -> array.add(sorted(item)));
            return array;
        }
        return value;
    }

    private static String hash(ObjectNode definition) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Json.bytes(definition)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static List<String> diff(ObjectNode before, ObjectNode now) {
        Map<String, String> old = new TreeMap<>();
        Map<String, String> fresh = new TreeMap<>();
        flatten("", before, old);
        flatten("", now, fresh);
        List<String> lines = new ArrayList<>();
        TreeMap<String, String> all = new TreeMap<>(old);
        all.putAll(fresh);
        for (String path : all.keySet()) {
            String was = old.get(path);
            String is = fresh.get(path);
            if (was != null && !was.equals(is)) {
                lines.add("- " + path + ": " + was);
            }
            if (is != null && !is.equals(was)) {
                lines.add("+ " + path + ": " + is);
            }
        }
        return lines;
    }

    private static void flatten(String path, JsonNode value, Map<String, String> into) {
        if (value.isObject() && !value.isEmpty()) {
            value.properties()
                    .forEach(member -> flatten(
                            path.isEmpty() ? segment(member.getKey()) : path + "." + segment(member.getKey()),
                            member.getValue(),
                            into));
        } else {
            into.put(path, ToolSuspicion.shown(Json.text(value)));
        }
    }

    /// A server chooses the names: one with a dot in it must not pass for a path to another member.
    private static String segment(String member) {
        return PLAIN_MEMBER.matcher(member).matches()
                ? member
                : ToolSuspicion.shown(Json.text(StringNode.valueOf(member)));
    }
}
