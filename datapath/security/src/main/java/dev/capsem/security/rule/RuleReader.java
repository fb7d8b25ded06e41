package dev.capsem.security.rule;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEventJson;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.security.condition.Condition;
import dev.capsem.security.condition.compile.ConditionCompiler;
import dev.capsem.security.condition.compile.ConditionScope;
import dev.capsem.security.schema.Schema;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import dev.capsem.source.Suggestion;
import dev.capsem.source.tree.TomlText;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.tomlj.TomlArray;
import org.tomlj.TomlTable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Reads rule files. Reports all problems of a source at once and never throws on any text. Keep one reader:
/// building the CEL environment takes a third of a second on a cold JVM.
public final class RuleReader {
    /// Far beyond any rule set that a person could keep in mind (about 30 000 rules).
    private static final int CHARS_MAX = 8 * 1024 * 1024;

    private static final Set<String> TYPES = Set.of("http", "dns", "mcp", "model", "process", "file");
    private static final Set<String> KEYS = Set.of(
            "on",
            "if",
            "decision",
            "priority",
            "reason",
            "zone",
            "lists",
            "strip_request_headers",
            "strip_response_headers",
            "rewrite_target",
            "rewrite_value");
    private static final Set<String> EXPECT_KEYS = Set.of("name", "on", "given", "decision", "rule");
    private static final Set<String> SECTIONS = Set.of("rules", "expect", "lists", "capabilities");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /// Event types of other times and other readings, each with what to write instead.
    private static final Map<String, String> RENAMED = Map.of(
            "dns.query", "it is called dns.request now.",
            "http.read", "use http.request and test http.request.method.",
            "http.write", "use http.request and test http.request.method.",
            "model.tool_call", "use model.response and model.response.tool_calls.",
            "model.tool_response", "use model.request and model.request.tool_results.",
            "file.read", "use file.activity and file.activity.operation.",
            "file.write", "use file.activity and file.activity.operation.");

    private final ConditionCompiler conditions;

    public RuleReader(ConditionCompiler conditions) {
        this.conditions = conditions;
    }

    public RuleFile read(SourceText source) {
        try {
            return new Reading(source).read();
        } catch (StackOverflowError tooDeep) {
            // What reads the tree recurses as deep as it goes; nothing of the reading is kept.
            Place start = Place.start(source.file());
            return new RuleFile(
                    List.of(), List.of(), List.of(Problem.error(start, "not TOML: it is nested too deeply.")));
        }
    }

    /// One source while it is read.
    private final class Reading {
        private final SourceText source;
        private final TomlText text;
        private final List<Rule> rules = new ArrayList<>();
        private final List<Expectation> expectations = new ArrayList<>();
        private final Problems problems = new Problems();
        private final TableReader in;

        Reading(SourceText source) {
            this.source = source;
            this.text = new TomlText(source);
            this.in = new TableReader(text, problems);
        }

        RuleFile read() {
            text.parse(CHARS_MAX, problems).ifPresent(this::readRoot);
            return new RuleFile(rules, expectations, problems.list());
        }

        private void readRoot(TomlTable root) {
            for (String key : root.keySet()) {
                boolean slip = !key.equals("security")
                        && Suggestion.nearest(key, Set.of("security")).isPresent();
                if (slip) {
                    in.error(in.place(root, key), "unknown section " + key + ". Did you mean security?");
                }
            }
            TomlTable security = in.table(root, "security");
            if (security == null) {
                return;
            }
            in.unknownKeys(security, SECTIONS, "section security.");
            TomlTable types = in.table(security, "rules");
            if (types != null) {
                in.unknownKeys(types, TYPES, "rule type ");
                for (String type : new TreeSet<>(types.keySet())) {
                    TomlTable named = TYPES.contains(type) ? in.table(types, type) : null;
                    if (named != null) {
                        readRules(type, named);
                    }
                }
            }
            readExpectations(security);
        }

        private void readRules(String type, TomlTable named) {
            for (String name : named.keySet()) {
                if (!NAME.matcher(name).matches()) {
                    in.error(in.place(named, name), "a rule's name has 1 to 64 of A-Z a-z 0-9 _ -; this one does not.");
                    continue;
                }
                TomlTable table = in.table(named, name);
                if (table != null) {
                    readRule(RuleId.of(type, name), table, in.place(named, name));
                }
            }
        }

        private void readRule(RuleId id, TomlTable table, Place place) {
            in.unknownKeys(table, KEYS, "key ");
            Optional<EventType> on = on(id.type(), table, place);
            Optional<Decision> decision = decision(table, place);
            Optional<String> condition = in.string(table, "if");
            if (condition.isEmpty() && !table.contains(List.of("if"))) {
                in.error(place, "the rule has no if.");
            }
            Optional<Condition> compiled = on.isPresent() && condition.isPresent()
                    ? condition(condition.get(), on.get(), table, decision)
                    : Optional.empty();
            Optional<Integer> priority = priority(table, place, condition);
            Optional<Rewrite> rewrite = new RewriteReader(in).read(table, on, decision, place);
            boolean complete = on.isPresent()
                    && decision.isPresent()
                    && compiled.isPresent()
                    && priority.isPresent()
                    && (decision.get() != Decision.REWRITE || rewrite.isPresent());
            if (complete) {
                rules.add(new Rule(
                        id,
                        on.get(),
                        compiled.get(),
                        decision.get(),
                        priority.get(),
                        in.string(table, "reason"),
                        decision.get() == Decision.REWRITE ? rewrite : Optional.empty(),
                        source.layer(),
                        place));
            }
        }

        private Optional<EventType> on(String type, TomlTable table, Place place) {
            Optional<String> written = in.string(table, "on");
            if (written.isEmpty()) {
                if (!table.contains(List.of("on"))) {
                    in.error(place, "the rule has no on, which says the event it judges.");
                }
                return Optional.empty();
            }
            Optional<EventType> on = eventType(table, written.get());
            if (on.isPresent() && !on.get().family().wireName().equals(type)) {
                in.error(
                        in.value(table, "on"),
                        on.get().wireName() + " is judged by rules under security.rules."
                                + on.get().family().wireName() + ", and this one is under " + type + ".");
                return Optional.empty();
            }
            return on;
        }

        private Optional<EventType> eventType(TomlTable table, String written) {
            Optional<EventType> on = Schema.JUDGED.stream()
                    .filter(type -> type.wireName().equals(written))
                    .findFirst();
            if (on.isEmpty()) {
                List<String> names =
                        Schema.JUDGED.stream().map(EventType::wireName).toList();
                String hint = RENAMED.containsKey(written)
                        ? " Instead: " + RENAMED.get(written)
                        : Suggestion.didYouMean(written, names) + " Events are " + String.join(", ", names) + ".";
                in.error(in.value(table, "on"), "no rule can be on " + written + "." + hint);
            }
            return on;
        }

        private Optional<Decision> decision(TomlTable table, Place place) {
            Optional<String> written = in.string(table, "decision");
            if (written.isEmpty()) {
                if (!table.contains(List.of("decision"))) {
                    in.error(place, "there is no decision: allow, ask, block or rewrite.");
                }
                return Optional.empty();
            }
            if (written.get().equals("warn")) {
                in.error(
                        in.value(table, "decision"),
                        "warn is not a decision any more: use ask to have a person decide, or a detection to be told.");
                return Optional.empty();
            }
            Optional<Decision> decision = WireNamed.parse(Decision.class, written.get());
            if (decision.isEmpty()) {
                in.error(
                        in.value(table, "decision"),
                        "unknown decision " + written.get() + "."
                                + Suggestion.didYouMean(
                                        written.get(),
                                        Arrays.stream(Decision.values())
                                                .map(Decision::wireName)
                                                .toList())
                                + " Decisions are allow, ask, block, rewrite.");
            }
            return decision;
        }

        private Optional<Condition> condition(
                String written, EventType on, TomlTable table, Optional<Decision> decision) {
            Optional<ZoneId> zone = zone(table);
            if (zone.isEmpty()) {
                return Optional.empty();
            }
            return switch (conditions.compile(written, on, new ConditionScope(zone.get(), lists(table)))) {
                case ConditionCompiler.Result.Compiled compiled -> grounded(compiled.condition(), table, decision);
                case ConditionCompiler.Result.Refused refused -> {
                    refused.problems()
                            .forEach(problem -> in.error(
                                    text.inString(in.position(table, "if"), problem.offset()), problem.message()));
                    yield Optional.empty();
                }
            };
        }

        /// A field that a guest can forge may narrow an allow, but never be its only condition.
        private Optional<Condition> grounded(Condition condition, TomlTable table, Optional<Decision> decision) {
            boolean lets = decision.filter(found -> found == Decision.ALLOW || found == Decision.REWRITE)
                    .isPresent();
            if (lets && condition.facts().restsOnCaller()) {
                in.error(
                        in.value(table, "if"),
                        "the guest can forge caller.*, so a rule that lets something pass must not rest on it alone:"
                                + " name what is allowed as well, such as http.request.host == \"...\" && (...).");
                return Optional.empty();
            }
            return Optional.of(condition);
        }

        /// Those beside the source, and those that stand in the rule itself.
        private Map<String, List<String>> lists(TomlTable table) {
            Map<String, List<String>> lists = new HashMap<>(source.lists());
            TomlTable own = in.table(table, "lists");
            if (own == null) {
                return lists;
            }
            for (String name : own.keySet()) {
                boolean isList = own.get(List.of(name)) instanceof TomlArray array
                        && array.toList().stream().allMatch(String.class::isInstance);
                if (isList) {
                    lists.put(
                            name,
                            own.getArrayOrEmpty(List.of(name)).toList().stream()
                                    .map(String.class::cast)
                                    .toList());
                } else {
                    in.error(in.value(table, "lists"), "the list " + name + " is not a list of texts.");
                }
            }
            return lists;
        }

        private Optional<ZoneId> zone(TomlTable table) {
            if (!table.contains(List.of("zone"))) {
                return Optional.of(ZoneOffset.UTC);
            }
            try {
                return in.string(table, "zone").map(ZoneId::of);
            } catch (DateTimeException unknown) {
                in.error(in.value(table, "zone"), "there is no such time zone; write one such as \"Europe/Berlin\".");
                return Optional.empty();
            }
        }

        private Optional<Integer> priority(TomlTable table, Place place, Optional<String> condition) {
            Object written = table.get(List.of("priority"));
            if (written != null && !(written instanceof Long)) {
                in.error(in.value(table, "priority"), "priority is a whole number.");
                return Optional.empty();
            }
            long priority = written instanceof Long number ? number : 1;
            int clamped = Math.clamp(priority, -100_000, 100_000);
            if (!source.layer().acceptsPriority(clamped)) {
                in.error(
                        written == null ? place : in.value(table, "priority"),
                        (written == null ? "without a priority this rule has 1; " : "priority " + priority + ": ")
                                + "rules of this source have " + source.layer().priorities() + ".");
                return Optional.empty();
            }
            boolean unconditional = condition
                    .filter(written1 -> written1.strip().equals("true"))
                    .isPresent();
            if (clamped == Layer.CATCH_ALL && !unconditional) {
                in.error(in.value(table, "priority"), "priority 1000 is for catch-alls, whose if is \"true\".");
                return Optional.empty();
            }
            return Optional.of(clamped);
        }

        private void readExpectations(TomlTable security) {
            Object value = security.get(List.of("expect"));
            if (value == null) {
                return;
            }
            if (!(value instanceof TomlArray array)) {
                in.error(in.place(security, "expect"), "write expectations as [[security.expect]].");
                return;
            }
            for (int i = 0; i < array.size(); i++) {
                if (array.get(i) instanceof TomlTable table) {
                    readExpectation(table, text.place(array.inputPositionOf(i)), i + 1);
                } else {
                    in.error(text.place(array.inputPositionOf(i)), "write expectations as [[security.expect]].");
                }
            }
        }

        private void readExpectation(TomlTable table, Place place, int number) {
            in.unknownKeys(table, EXPECT_KEYS, "key ");
            Optional<Decision> decision = decision(table, place);
            Optional<String> written = in.string(table, "on");
            if (written.isEmpty()) {
                in.error(place, "the expectation has no on.");
            }
            Optional<EventType> on = written.flatMap(type -> eventType(table, type));
            TomlTable given = in.table(table, "given");
            if (given == null && !table.contains(List.of("given"))) {
                in.error(place, "the expectation has no given, which describes the event.");
            }
            if (on.isEmpty() || given == null || decision.isEmpty()) {
                return;
            }
            Optional<RuleId> rule = in.string(table, "rule").flatMap(id -> ruleId(table, id));
            ObjectNode json = (ObjectNode) JSON.readTree(given.toJson());
            json.put("event_type", on.get().wireName());
            String name = in.string(table, "name").orElse("expectation " + number);
            switch (SecurityEventJson.read(json)) {
                case SecurityEventJson.Read.Event event ->
                    expectations.add(new Expectation(name, event.event(), decision.get(), rule, place));
                case SecurityEventJson.Read.Malformed malformed ->
                    in.error(place, "given does not describe an event: " + malformed.reason() + ".");
            }
        }

        private Optional<RuleId> ruleId(TomlTable table, String id) {
            try {
                return Optional.of(new RuleId(id));
            } catch (IllegalArgumentException malformed) {
                in.error(in.value(table, "rule"), "rule is written security.rules.<type>.<name>.");
                return Optional.empty();
            }
        }
    }
}
