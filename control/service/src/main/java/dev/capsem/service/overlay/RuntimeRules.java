package dev.capsem.service.overlay;

import dev.capsem.security.RuleCompiler;
import dev.capsem.security.sigma.Detection;
import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.rulecheck.RuleChecker;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The overlay of this home. Every change is checked, counted and on disk before it is told to anybody.
public final class RuntimeRules {
    public static final String SCHEMA = "capsem.runtime-security-rules.v1";
    public static final String FILE = "runtime_security_rules.json";

    /// In a session's directory.
    public static final String OVERLAY_FILE = "overlay.toml";

    public static final String DETECTIONS_DIRECTORY = "detections";

    /// Beside the files: which ids their findings carry.
    private static final String DETECTIONS_INDEX = "ids.json";

    /// More are a profile, not an overlay.
    public static final int RULES_MAX = 1_000;

    private final Path file;
    private final RuleChecker checker;

    /// All of it at one moment.
    private record State(
            long generation,
            SortedMap<String, EnforcementRule> enforcement,
            SortedMap<String, DetectionPack> detections) {}

    /// Replaced whole, by one caller at a time.
    private volatile State state;

    private RuntimeRules(Path file, RuleChecker checker, State state) {
        this.file = file;
        this.checker = checker;
        this.state = state;
    }

    /// Throws [UncheckedIOException] for a file that is not ours: going on without the rules in it would open what
    /// they closed.
    public static RuntimeRules open(Path runDirectory, RuleChecker checker) {
        Path file = runDirectory.resolve(FILE);
        State state = new State(0, new TreeMap<>(), new TreeMap<>());
        if (Files.exists(file)) {
            try {
                state = read(JsonMembers.of(Json.parse(Files.readAllBytes(file)), ""));
            } catch (JsonShapeException | ServiceProblem e) {
                throw new UncheckedIOException(new IOException(file + " is damaged; mend or remove it", e));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new RuntimeRules(file, checker, state);
    }

    private static State read(JsonMembers json) {
        if (!json.text("schema").equals(SCHEMA)) {
            throw new JsonShapeException("schema is not " + SCHEMA);
        }
        SortedMap<String, EnforcementRule> enforcement = new TreeMap<>();
        json.node("enforcement")
                .ifPresent(all -> all.values().forEach(node -> {
                    EnforcementRule rule = EnforcementRule.fromJson(node);
                    enforcement.put(rule.id(), rule);
                }));
        SortedMap<String, DetectionPack> detections = new TreeMap<>();
        json.node("detection")
                .ifPresent(all -> all.values().forEach(node -> {
                    DetectionPack pack = DetectionPack.draft(node).named("");
                    detections.put(pack.id(), pack);
                }));
        return new State(json.number("generation", 0), enforcement, detections);
    }

    public long generation() {
        return state.generation;
    }

    public Collection<EnforcementRule> enforcement() {
        return state.enforcement.values();
    }

    public Collection<DetectionPack> detections() {
        return state.detections.values();
    }

    /// The rules in force, for the compiler; empty if there are none.
    public Optional<SourceText> source() {
        String toml = state.enforcement.values().stream()
                .filter(EnforcementRule::enabled)
                .map(EnforcementRule::toml)
                .collect(Collectors.joining("\n"));
        return toml.isEmpty() ? Optional.empty() : Optional.of(new SourceText(OVERLAY_FILE, Layer.OVERLAY, toml));
    }

    public List<DetectionSource> detectionSources() {
        return state.detections.values().stream()
                .filter(DetectionPack::enabled)
                .map(DetectionPack::source)
                .toList();
    }

    /// Reads and compiles a rule; nothing is kept.
    public EnforcementRule checkEnforcement(JsonNode body) {
        return checkEnforcement(body, Map.of());
    }

    /// @param lists that the rule may ask for, by name
    public EnforcementRule checkEnforcement(JsonNode body, Map<String, List<String>> lists) {
        EnforcementRule rule = EnforcementRule.fromJson(body);
        compile(
                List.of(new SourceText("request", Layer.OVERLAY, rule.toml(), lists)),
                List.of(),
                ServiceProblem.Code.BAD_RULE);
        return rule;
    }

    /// The rules of a Sigma text, compiled; nothing is kept.
    public record CheckedPack(DetectionPack pack, List<Detection> detections) {
        public CheckedPack {
            detections = List.copyOf(detections);
        }
    }

    public CheckedPack checkDetection(JsonNode body) {
        DetectionPack.Draft draft = DetectionPack.draft(body);
        RuleCompiler.Result.Compiled compiled =
                compile(List.of(), List.of(draft.source()), ServiceProblem.Code.BAD_DETECTION);
        List<Detection> found = compiled.snapshot().detections();
        if (found.isEmpty()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_DETECTION, "the text holds no Sigma rule", "send one in YAML");
        }
        DetectionPack pack = draft.named(found.getFirst().id().replaceAll("[^A-Za-z0-9_.:-]", "_"));
        return new CheckedPack(
                pack,
                compile(List.of(), List.of(pack.source()), ServiceProblem.Code.BAD_DETECTION)
                        .snapshot()
                        .detections());
    }

    private RuleCompiler.Result.Compiled compile(
            List<SourceText> sources, List<DetectionSource> packs, ServiceProblem.Code code) {
        return switch (checker.compile(sources, packs)) {
            case RuleCompiler.Result.Compiled compiled -> compiled;
            case RuleCompiler.Result.Rejected rejected ->
                throw new ServiceProblem(
                        code,
                        rejected.problems().stream().map(Problem::toString).collect(Collectors.joining("\n")),
                        "mend it and send it again; docs/rules.md explains each field");
        };
    }

    /// @param isNew whether a rule of that id must not be there yet, or must
    public synchronized void put(EnforcementRule rule, boolean isNew) {
        boolean isThere = state.enforcement.containsKey(rule.id());
        boolean isTaken = state.enforcement.values().stream()
                .anyMatch(other ->
                        !other.id().equals(rule.id()) && other.effectiveId().equals(rule.effectiveId()));
        if ((isNew && isThere) || isTaken) {
            throw new ServiceProblem(
                    ServiceProblem.Code.RULE_EXISTS,
                    rule.id() + " is there already",
                    "change it with PUT /enforcement/" + rule.id() + ", or choose another id");
        }
        if (!isNew && !isThere) {
            throw unknown(rule.id());
        }
        requireRoom();
        SortedMap<String, EnforcementRule> next = new TreeMap<>(state.enforcement);
        next.put(rule.id(), rule);
        keep(new State(state.generation + 1, next, state.detections));
    }

    public synchronized void removeEnforcement(String id) {
        SortedMap<String, EnforcementRule> next = new TreeMap<>(state.enforcement);
        if (next.remove(id) == null) {
            throw unknown(id);
        }
        keep(new State(state.generation + 1, next, state.detections));
    }

    public synchronized void add(DetectionPack pack) {
        if (state.detections.containsKey(pack.id())) {
            throw new ServiceProblem(
                    ServiceProblem.Code.RULE_EXISTS,
                    pack.id() + " is there already",
                    "remove it first with DELETE /detection/" + pack.id() + ", or choose another id");
        }
        requireRoom();
        SortedMap<String, DetectionPack> next = new TreeMap<>(state.detections);
        next.put(pack.id(), pack);
        keep(new State(state.generation + 1, state.enforcement, next));
    }

    public synchronized void removeDetection(String id) {
        SortedMap<String, DetectionPack> next = new TreeMap<>(state.detections);
        if (next.remove(id) == null) {
            throw unknown(id);
        }
        keep(new State(state.generation + 1, state.enforcement, next));
    }

    private void requireRoom() {
        if (state.enforcement.size() + state.detections.size() >= RULES_MAX) {
            throw new ServiceProblem(
                    ServiceProblem.Code.TOO_LARGE,
                    "there are " + RULES_MAX + " runtime rules",
                    "remove some, or write them into a profile");
        }
    }

    private static ServiceProblem unknown(String id) {
        return new ServiceProblem(
                ServiceProblem.Code.RULE_NOT_FOUND,
                "there is no runtime rule " + id.substring(0, Math.min(id.length(), 128)),
                "see which there are: GET /enforcement and GET /detection");
    }

    private void keep(State next) {
        ObjectNode json = Json.object().put("schema", SCHEMA).put("generation", next.generation);
        var enforcement = json.putArray("enforcement");
        next.enforcement.values().forEach(rule -> enforcement.add(rule.toJson()));
        var detection = json.putArray("detection");
        next.detections.values().forEach(pack -> detection.add(pack.toJson()));
        replace(file, Json.bytes(json));
        state = next;
    }

    /// Lays the overlay into a session's directory, or takes an older one away.
    public void install(Path sessionDirectory) {
        State now = state;
        try {
            Path overlay = sessionDirectory.resolve(OVERLAY_FILE);
            Optional<SourceText> source = source();
            if (source.isPresent()) {
                replace(overlay, source.get().text().getBytes(StandardCharsets.UTF_8));
            } else {
                Files.deleteIfExists(overlay);
            }
            installDetections(now.detections, sessionDirectory.resolve(DETECTIONS_DIRECTORY));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void installDetections(Map<String, DetectionPack> packs, Path directory) throws IOException {
        List<Path> wanted = new ArrayList<>();
        ObjectNode ids = Json.object();
        for (DetectionPack pack : packs.values()) {
            if (pack.enabled()) {
                Files.createDirectories(directory);
                Path target = directory.resolve(pack.id().replace(':', '_') + ".yml");
                replace(target, pack.sigma().getBytes(StandardCharsets.UTF_8));
                wanted.add(target);
                ids.putObject(String.valueOf(target.getFileName()))
                        .put("id", pack.id())
                        .put("pack_id", pack.packId());
            }
        }
        if (!wanted.isEmpty()) {
            Path index = directory.resolve(DETECTIONS_INDEX);
            replace(index, Json.text(ids).getBytes(StandardCharsets.UTF_8));
            wanted.add(index);
        }
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (Stream<Path> present = Files.list(directory)) {
            for (Path old : present.filter(path -> !wanted.contains(path)).toList()) {
                Files.deleteIfExists(old);
            }
        }
    }

    private static void replace(Path file, byte[] bytes) {
        Path fresh = file.resolveSibling("." + file.getFileName() + ".new");
        try {
            Files.write(fresh, bytes);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
