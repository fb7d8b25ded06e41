package dev.capsem.policy;

import dev.capsem.policy.manifest.Bindings;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.ParsedJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The manifests under `fixtures`: the ten servers of the go/no-go exercise and a few of our own.
public final class FixtureManifests {
    public static final Path RESOURCES = Path.of("src/test/resources/dev/capsem/policy");
    public static final List<String> SERVERS = List.of(
            "filesystem",
            "fetch",
            "git",
            "memory",
            "time",
            "github",
            "postgres",
            "sqlite",
            "brave-search",
            "puppeteer");

    private FixtureManifests() {}

    public static List<String> names() {
        try (Stream<Path> files = Files.list(RESOURCES.resolve("fixtures"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .map(name -> name.substring(0, name.length() - ".json".length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Compilation compile(String name) {
        return Capgate.compilation(document(name), CompileOptions.DEFAULT.with(bindings(name)));
    }

    public static ParsedJson document(String name) {
        JsonReading reading = JsonReader.read(text(name + ".json"));
        return ((JsonReading.Parsed) reading).document();
    }

    public static Bindings bindings(String name) {
        Bindings bindings = Bindings.NONE;
        if (!Files.exists(RESOURCES.resolve("fixtures").resolve(name + ".params"))) {
            return bindings;
        }
        for (String line : text(name + ".params").lines().toList()) {
            int equals = line.indexOf('=');
            bindings = bindings.with(line.substring(0, equals), line.substring(equals + 1));
        }
        return bindings;
    }

    private static String text(String file) {
        try {
            return Files.readString(RESOURCES.resolve("fixtures").resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
