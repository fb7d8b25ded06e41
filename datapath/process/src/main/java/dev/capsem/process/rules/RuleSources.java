package dev.capsem.process.rules;

import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/// The sources of a session's rules, as text.
///
/// @param revision of the profile
record RuleSources(String revision, List<SourceText> rules, List<DetectionSource> detections) {
    /// Rules that the service added to the running session.
    static final String OVERLAY = "overlay.toml";

    /// Sigma files, `*.yml`.
    static final String DETECTIONS = "detections";
    private static final String DETECTION_IDS = "ids.json";

    RuleSources {
        rules = List.copyOf(rules);
        detections = List.copyOf(detections);
    }

    /// The result of reading.
    sealed interface Read {
        record Found(RuleSources sources) implements Read {}

        record Unreadable(String reason) implements Read {}
    }

    /// A profile with what was added to the running session.
    static Read of(EffectiveProfile profile, Path sessionDir) {
        try {
            List<SourceText> rules = new ArrayList<>(profile.ruleSources());
            rules.addAll(overlay(sessionDir.resolve(OVERLAY)));
            return new Read.Found(
                    new RuleSources(profile.revision(), rules, detections(sessionDir.resolve(DETECTIONS))));
        } catch (IOException e) {
            return new Read.Unreadable("the rules added to this session cannot be read");
        }
    }

    /// A profile alone.
    static Read ofProfile(Path effectiveProfile) {
        try {
            return switch (EffectiveJson.read(Files.readString(effectiveProfile))) {
                case EffectiveJson.Read.Malformed malformed -> new Read.Unreadable(malformed.reason());
                case EffectiveJson.Read.Ok(EffectiveProfile profile) ->
                    new Read.Found(new RuleSources(profile.revision(), profile.ruleSources(), List.of()));
            };
        } catch (IOException e) {
            return new Read.Unreadable("there is no such profile");
        }
    }

    /// The same for the same rules, whatever else the profile says.
    String digest() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            rules.forEach(source -> add(digest, source.file(), source.layer().name(), source.text()));
            detections.forEach(source -> add(digest, source.name(), source.pack(), source.text()));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static void add(MessageDigest digest, String... parts) {
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update(Integer.toString(bytes.length).getBytes(StandardCharsets.US_ASCII));
            digest.update((byte) ':');
            digest.update(bytes);
        }
    }

    private static List<SourceText> overlay(Path file) throws IOException {
        return Files.exists(file) ? List.of(new SourceText(OVERLAY, Layer.OVERLAY, Files.readString(file))) : List.of();
    }

    private static List<DetectionSource> detections(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(file -> file.toString().endsWith(".yml"))
                    .sorted()
                    .toList();
        }
        JsonNode ids = ids(directory.resolve(DETECTION_IDS));
        List<DetectionSource> sources = new ArrayList<>();
        for (Path file : files) {
            String name = String.valueOf(file.getFileName());
            String stem = name.substring(0, name.length() - ".yml".length());
            JsonNode known = ids.path(name);
            sources.add(new DetectionSource(
                    DETECTIONS + "/" + name,
                    known.path("id").isString() ? Optional.of(known.path("id").stringValue()) : Optional.empty(),
                    known.path("pack_id").asString(stem.isBlank() ? DETECTIONS : stem),
                    Files.readString(file)));
        }
        return sources;
    }

    /// Which ids the findings of each file carry. A file that is not in it was put there by hand.
    private static JsonNode ids(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Json.object();
        }
        try {
            return Json.parse(Files.readAllBytes(file));
        } catch (JsonShapeException damaged) {
            throw new IOException(DETECTIONS + "/" + DETECTION_IDS + " is not JSON", damaged);
        }
    }
}
