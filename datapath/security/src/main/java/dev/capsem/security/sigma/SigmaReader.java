package dev.capsem.security.sigma;

import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.security.condition.Predicates;
import dev.capsem.security.condition.Predicates.Predicate;
import dev.capsem.security.condition.Predicates.Subject;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Schema;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Suggestion;
import dev.cel.common.types.CelKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// Reads Sigma rules, several to a file. Reports all problems at once and never throws on any text.
public final class SigmaReader {
    private static final int CHARS_MAX = 4 * 1024 * 1024;

    /// Real rules need six.
    private static final int NESTING_MAX = 50;

    private static final Set<String> KEYS = Set.of(
            "title",
            "id",
            "name",
            "related",
            "taxonomy",
            "status",
            "description",
            "license",
            "references",
            "author",
            "date",
            "modified",
            "tags",
            "scope",
            "logsource",
            "detection",
            "fields",
            "falsepositives",
            "level");
    private static final Set<String> LOGSOURCE = Set.of("product", "category", "service", "definition");

    /// Anchors and aliases are refused before composing: they can make a small file a huge tree.
    private static final LoadSettings SETTINGS = LoadSettings.builder()
            .setCodePointLimit(CHARS_MAX)
            .setAllowDuplicateKeys(false)
            .setMaxAliasesForCollections(1)
            .build();

    /// The contents of a source.
    public record Read(List<Detection> detections, List<Problem> problems) {
        public Read {
            detections = List.copyOf(detections);
            problems = List.copyOf(problems);
        }
    }

    public Read read(DetectionSource source) {
        return new Reading(source).read();
    }

    /// One source while it is read.
    private static final class Reading {
        private final DetectionSource source;
        private final List<Detection> detections = new ArrayList<>();
        private final List<Problem> problems = new ArrayList<>();
        private final Set<String> ids = new HashSet<>();

        Reading(DetectionSource source) {
            this.source = source;
        }

        Read read() {
            try {
                if (isUnsafe()) {
                    return new Read(List.of(), problems);
                }
                for (Node document : new Compose(SETTINGS).composeAllFromString(source.text())) {
                    if (document instanceof MappingNode mapping) {
                        readRule(mapping);
                    } else {
                        error(document, "a Sigma rule is a map with title, logsource and detection.");
                    }
                }
            } catch (MarkedYamlEngineException malformed) {
                Place place = malformed
                        .getProblemMark()
                        .map(mark -> new Place(source.name(), mark.getLine() + 1, mark.getColumn() + 1))
                        .orElse(new Place(source.name(), 1, 1));
                problems.add(Problem.error(place, "not YAML: " + malformed.getProblem()));
            } catch (YamlEngineException malformed) {
                problems.add(Problem.error(
                        new Place(source.name(), 1, 1),
                        "not YAML: " + malformed.getClass().getSimpleName()));
            }
            return new Read(named(), problems);
        }

        /// One rule has the id that its author chose; of several each adds its title to it.
        private List<Detection> named() {
            if (source.id().isEmpty()) {
                return detections;
            }
            String id = source.id().get();
            return detections.size() == 1
                    ? List.of(detections.getFirst().withId(id))
                    : detections.stream()
                            .map(detection -> detection.withId(id + ":" + detection.id()))
                            .toList();
        }

        private Place place(Event event) {
            return event.getStartMark()
                    .map(mark -> new Place(source.name(), mark.getLine() + 1, mark.getColumn() + 1))
                    .orElse(new Place(source.name(), 1, 1));
        }

        /// Input that the composer must not see: it recurses without a limit of its own, and follows aliases.
        private boolean isUnsafe() {
            int depth = 0;
            for (Event event : new Parse(SETTINGS).parseString(source.text())) {
                depth += switch (event.getEventId()) {
                    case MappingStart, SequenceStart -> 1;
                    case MappingEnd, SequenceEnd -> -1;
                    default -> 0;
                };
                if (depth > NESTING_MAX) {
                    problems.add(Problem.error(place(event), "nested more than " + NESTING_MAX + " deep."));
                    return true;
                }
                if (event.getEventId() == Event.ID.Alias) {
                    Place place = place(event);
                    problems.add(Problem.error(place, "aliases (*name) are not accepted; write the value out."));
                    return true;
                }
            }
            return false;
        }

        private void readRule(MappingNode document) {
            int before = problems.size();
            Map<String, Node> rule = members(document);
            if (rule.containsKey("correlation")) {
                error(document, "correlations are not supported: a detection judges one event.");
                return;
            }
            unknownKeys(document, KEYS);
            String title = text(rule, "title").orElse("");
            if (title.isBlank()) {
                error(document, "the rule has no title.");
            }
            Optional<Set<EventType>> category = logsource(document, rule);
            Optional<Predicate> predicate = detection(document, rule);
            Severity severity = severity(rule);
            String id = slug(title);
            if (!title.isBlank() && !ids.add(id)) {
                error(document, "another rule of this source has the title " + title + ".");
            }
            if (problems.size() > before || predicate.isEmpty() || category.isEmpty()) {
                return;
            }
            Optional<Set<EventType>> on = events(document, category.get(), predicate.get());
            if (on.isPresent()) {
                detections.add(new Detection(
                        id,
                        source.pack(),
                        text(rule, "id"),
                        title,
                        severity,
                        confidence(rule),
                        texts(rule.get("tags")),
                        on.get(),
                        predicate.get(),
                        source.text(),
                        place(document)));
            }
        }

        private Optional<Set<EventType>> logsource(Node document, Map<String, Node> rule) {
            if (!(rule.get("logsource") instanceof MappingNode node)) {
                error(document, "the rule has no logsource with product: capsem.");
                return Optional.empty();
            }
            unknownKeys(node, LOGSOURCE);
            Map<String, Node> logsource = members(node);
            if (!text(logsource, "product").orElse("").equals("capsem")) {
                error(node, "logsource.product must be capsem.");
                return Optional.empty();
            }
            String category = text(logsource, "category").orElse("");
            Set<EventType> types = EnumSet.noneOf(EventType.class);
            for (EventType type : Schema.JUDGED) {
                if (category.isEmpty()
                        || type.family().wireName().equals(category)
                        || type.wireName().equals(category)) {
                    types.add(type);
                }
            }
            if (types.isEmpty()) {
                Set<String> names = new TreeSet<>();
                Schema.JUDGED.forEach(type -> names.add(type.family().wireName()));
                error(
                        logsource.getOrDefault("category", node),
                        "unknown logsource.category." + Suggestion.didYouMean(category, names) + " It is one of "
                                + String.join(", ", names) + ", or an event such as http.request.");
                return Optional.empty();
            }
            return Optional.of(types);
        }

        /// The events at which all fields are known; of several, the earliest, so that one thing is found once.
        private Optional<Set<EventType>> events(Node document, Set<EventType> category, Predicate predicate) {
            for (EventType type : Schema.JUDGED) {
                boolean fits = category.contains(type)
                        && predicate.reads().stream()
                                .allMatch(field -> field.at().contains(type));
                if (fits) {
                    return Optional.of(Set.of(type));
                }
            }
            error(document, "no event of this logsource has all the fields that the detection reads.");
            return Optional.empty();
        }

        private Optional<Predicate> detection(Node document, Map<String, Node> rule) {
            if (!(rule.get("detection") instanceof MappingNode node)) {
                error(document, "the rule has no detection.");
                return Optional.empty();
            }
            Map<String, Node> parts = members(node);
            Map<String, Predicate> selections = new LinkedHashMap<>();
            for (Map.Entry<String, Node> part : parts.entrySet()) {
                if (part.getKey().equals("timeframe")) {
                    error(part.getValue(), "timeframe is not supported: a detection judges one event.");
                } else if (!part.getKey().equals("condition")) {
                    selections.put(part.getKey(), selection(part.getValue()));
                }
            }
            Node condition = parts.get("condition");
            List<String> lines = texts(condition);
            if (condition == null || lines.isEmpty()) {
                error(node, "the detection has no condition.");
                return Optional.empty();
            }
            List<Predicate> alternatives = new ArrayList<>();
            for (String line : lines) {
                switch (SigmaCondition.parse(line, selections)) {
                    case SigmaCondition.Parsed.Ok ok -> alternatives.add(ok.predicate());
                    case SigmaCondition.Parsed.Refused refused -> error(condition, refused.reason());
                }
            }
            return Optional.of(Predicates.any(alternatives));
        }

        /// A map: all its fields. A list of maps: any of them.
        private Predicate selection(Node node) {
            if (node instanceof MappingNode mapping) {
                List<Predicate> fields = new ArrayList<>();
                for (NodeTuple tuple : mapping.getValue()) {
                    fields.add(field(tuple.getKeyNode(), tuple.getValueNode()));
                }
                return Predicates.all(fields);
            }
            if (node instanceof SequenceNode sequence) {
                return Predicates.any(
                        sequence.getValue().stream().map(this::selection).toList());
            }
            error(node, "a selection is a map of fields, or a list of such maps; name a field for each value.");
            return Predicates.any(List.of());
        }

        private Predicate field(Node key, Node value) {
            String[] parts = scalar(key).orElse("").split("\\|");
            List<String> modifiers = List.of(parts).subList(1, parts.length);
            for (String modifier : modifiers) {
                if (!SigmaValue.MODIFIERS.contains(modifier)) {
                    error(
                            key,
                            "unknown modifier " + modifier + "."
                                    + Suggestion.didYouMean(modifier, new TreeSet<>(SigmaValue.MODIFIERS)));
                }
            }
            Optional<Subject> subject = subject(key, parts[0]);
            if (subject.isEmpty()) {
                return Predicates.any(List.of());
            }
            List<Predicate> tests = new ArrayList<>();
            for (Node element : value instanceof SequenceNode sequence ? sequence.getValue() : List.of(value)) {
                if (!(element instanceof ScalarNode)) {
                    error(element, "a field's value is a text, a number, or a list of these.");
                    continue;
                }
                Optional<String> text = element.getTag().equals(Tag.NULL) ? Optional.empty() : scalar(element);
                switch (SigmaValue.build(subject.get(), modifiers, text)) {
                    case SigmaValue.Built.Ok ok -> tests.add(ok.predicate());
                    case SigmaValue.Built.Refused refused -> error(element, refused.reason());
                }
            }
            return modifiers.contains("all") ? Predicates.all(tests) : Predicates.any(tests);
        }

        private Optional<Subject> subject(Node key, String path) {
            Schema schema = Schema.standard();
            Optional<Field> exact = schema.field(path);
            if (exact.isPresent()) {
                return exact.map(Predicates::field);
            }
            for (String message : List.of("http.request", "http.response")) {
                for (String group : List.of(message + ".header.", message + ".headers.")) {
                    if (path.startsWith(group)) {
                        Subject headers = Predicates.field(
                                schema.field(message + ".headers").orElseThrow());
                        String name = path.substring(group.length()).toLowerCase(Locale.ROOT);
                        return Optional.of(Predicates.member(headers, name));
                    }
                }
            }
            for (Field field : schema.fields()) {
                if (field.type().kind() == CelKind.DYN && path.startsWith(field.path() + ".")) {
                    Subject subject = Predicates.field(field);
                    for (String member :
                            path.substring(field.path().length() + 1).split("\\.")) {
                        subject = Predicates.member(subject, member);
                    }
                    return Optional.of(subject);
                }
            }
            error(
                    key,
                    "unknown field " + path + "."
                            + Suggestion.didYouMean(
                                    path,
                                    schema.fields().stream().map(Field::path).toList()));
            return Optional.empty();
        }

        private Severity severity(Map<String, Node> rule) {
            String level = text(rule, "level").orElse("medium");
            String known = level.equals("informational") ? "info" : level;
            Optional<Severity> severity = WireNamed.parse(Severity.class, known);
            if (severity.isEmpty()) {
                error(rule.get("level"), "level is informational, low, medium, high or critical.");
            }
            return severity.orElse(Severity.MEDIUM);
        }

        /// How long a rule has proved itself says how far to trust it.
        private static Confidence confidence(Map<String, Node> rule) {
            return switch (text(rule, "status").orElse("")) {
                case "stable" -> Confidence.HIGH;
                case "experimental", "unsupported", "deprecated" -> Confidence.LOW;
                default -> Confidence.MEDIUM;
            };
        }

        private static String slug(String title) {
            String slug =
                    title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_").replaceAll("^_|_$", "");
            return slug.length() > 64 ? slug.substring(0, 64) : slug;
        }

        private Map<String, Node> members(MappingNode node) {
            Map<String, Node> members = new LinkedHashMap<>();
            for (NodeTuple tuple : node.getValue()) {
                scalar(tuple.getKeyNode()).ifPresent(key -> members.put(key, tuple.getValueNode()));
            }
            return members;
        }

        private void unknownKeys(MappingNode node, Set<String> known) {
            for (NodeTuple tuple : node.getValue()) {
                String key = scalar(tuple.getKeyNode()).orElse("");
                if (!known.contains(key)) {
                    error(
                            tuple.getKeyNode(),
                            "unknown key " + key + "." + Suggestion.didYouMean(key, new TreeSet<>(known)));
                }
            }
        }

        private static Optional<String> text(Map<String, Node> members, String key) {
            Node node = members.get(key);
            return node == null ? Optional.empty() : scalar(node);
        }

        private static List<String> texts(@Nullable Node node) {
            if (node instanceof SequenceNode sequence) {
                return sequence.getValue().stream()
                        .flatMap(element -> scalar(element).stream())
                        .toList();
            }
            return node == null ? List.of() : scalar(node).stream().toList();
        }

        private static Optional<String> scalar(Node node) {
            return node instanceof ScalarNode scalar ? Optional.of(scalar.getValue()) : Optional.empty();
        }

        private Place place(Node node) {
            return node.getStartMark()
                    .map(mark -> new Place(source.name(), mark.getLine() + 1, mark.getColumn() + 1))
                    .orElse(new Place(source.name(), 1, 1));
        }

        private void error(@Nullable Node node, String message) {
            Place place = node == null ? new Place(source.name(), 1, 1) : place(node);
            problems.add(Problem.error(place, message));
        }
    }
}
