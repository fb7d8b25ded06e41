package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/// Finds an agent where people install them, and names exactly the files that it consists of. Only reads.
final class AgentFinder {
    /// The sandbox has the host's own.
    private static final List<Path> SEEN_INSIDE = List.of(Path.of("/usr"), Path.of("/opt"));

    private static final int FIRST_LINE_MAX = 256;
    private static final int PACKAGE_BYTES_MAX = 1024 * 1024;

    private final Map<String, String> environment;
    private final Path home;

    /// @param environment of the user, for `PATH`
    AgentFinder(Map<String, String> environment, Path home) {
        this.environment = environment;
        this.home = home;
    }

    /// An agent as it is installed here.
    ///
    /// @param link under which name it was found
    /// @param command how it is run inside, without arguments
    /// @param mounts what must be shown inside
    /// @param path directories for `PATH` inside, beside the usual ones
    record Found(Path link, List<String> command, List<Path> mounts, List<Path> path, Optional<String> version) {
        Found {
            command = List.copyOf(command);
            mounts = List.copyOf(mounts);
            path = List.copyOf(path);
        }
    }

    Optional<Found> find(AgentRecipe recipe) {
        return program(recipe.command(), places(recipe)).map(link -> found(link, recipe));
    }

    /// Where it was looked for, for the complaint.
    List<Path> places(AgentRecipe recipe) {
        Set<Path> places = new LinkedHashSet<>();
        for (String entry : environment.getOrDefault("PATH", "").split(":")) {
            if (entry.startsWith("/")) {
                places.add(Path.of(entry));
            }
        }
        for (String place : List.of(".local/bin", "bin", ".npm-global/bin", ".bun/bin", ".volta/bin", ".cargo/bin")) {
            places.add(home.resolve(place));
        }
        npmPrefix().ifPresent(prefix -> places.add(prefix.resolve("bin")));
        places.addAll(nvm());
        recipe.places().forEach(place -> places.add(expanded(place)));
        return new ArrayList<>(places);
    }

    Path expanded(String path) {
        return path.startsWith("~/") ? home.resolve(path.substring(2)) : Path.of(path);
    }

    private static Optional<Path> program(String name, List<Path> places) {
        return places.stream()
                .map(place -> place.resolve(name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    private Found found(Path link, AgentRecipe recipe) {
        Path real = real(link);
        var mounts = new ArrayList<Path>();
        var path = new ArrayList<Path>();
        var command = new ArrayList<String>();
        Path installed = packageOf(real).orElse(real);
        show(installed, mounts);
        interpreter(real, link, recipe).ifPresent(found -> {
            if (!isSeen(found)) {
                show(found, mounts);
                path.add(found.getParent());
                // Its own first line looks for it by name, which a link may have.
                command.add(found.toString());
            }
        });
        command.add(real.toString());
        recipe.mounts().stream()
                .map(this::expanded)
                .filter(Files::exists)
                .map(AgentFinder::real)
                .forEach(extra -> show(extra, mounts));
        return new Found(link, command, mounts, path, version(installed, real));
    }

    private static void show(Path path, List<Path> mounts) {
        if (!isSeen(path) && mounts.stream().noneMatch(path::startsWith)) {
            mounts.removeIf(other -> other.startsWith(path));
            mounts.add(path);
        }
    }

    private static boolean isSeen(Path path) {
        return SEEN_INSIDE.stream().anyMatch(path::startsWith);
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException gone) {
            return path;
        }
    }

    /// The directory of the npm package that holds this file. A package whose dependencies lie beside it needs the
    /// directory around them.
    private static Optional<Path> packageOf(Path file) {
        List<String> names = new ArrayList<>();
        file.forEach(name -> names.add(name.toString()));
        int modules = names.lastIndexOf("node_modules");
        if (modules < 0 || modules + 1 >= names.size()) {
            return Optional.empty();
        }
        // A name with a scope is two: `@scope/name`.
        int length = names.get(modules + 1).startsWith("@") ? 2 : 1;
        Path around = Path.of("/").resolve(file.subpath(0, modules + 1));
        Path own = Path.of("/").resolve(file.subpath(0, Math.min(names.size(), modules + 1 + length)));
        return Optional.of(dependsOnSiblings(own, around) ? around : own);
    }

    private static boolean dependsOnSiblings(Path at, Path modules) {
        JsonNode manifest = manifest(at);
        return Stream.of("dependencies", "optionalDependencies")
                .flatMap(kind -> manifest.path(kind).propertyNames().stream())
                .anyMatch(name ->
                        !Files.exists(at.resolve("node_modules").resolve(name)) && Files.exists(modules.resolve(name)));
    }

    private static JsonNode manifest(Path at) {
        try (InputStream in = Files.newInputStream(at.resolve("package.json"))) {
            return Json.parse(new String(in.readNBytes(PACKAGE_BYTES_MAX), StandardCharsets.UTF_8));
        } catch (IOException | JacksonException | IllegalArgumentException none) {
            return Json.object();
        }
    }

    /// What stands behind `#!`: itself, or what `env` would find.
    private Optional<Path> interpreter(Path file, Path link, AgentRecipe recipe) {
        String first = firstLine(file);
        if (!first.startsWith("#!")) {
            return Optional.empty();
        }
        String[] words = first.substring(2).strip().split("\\s+");
        boolean isLookedFor = words[0].endsWith("/env");
        String name =
                isLookedFor && words.length > 1 ? words[words[1].equals("-S") && words.length > 2 ? 2 : 1] : words[0];
        if (name.startsWith("/")) {
            return Optional.of(real(Path.of(name)));
        }
        // nvm puts each node beside the programs that it installed.
        List<Path> places = new ArrayList<>();
        Optional.ofNullable(link.getParent()).ifPresent(places::add);
        places.addAll(places(recipe));
        return program(name, places).map(AgentFinder::real);
    }

    private static String firstLine(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            String start = new String(in.readNBytes(FIRST_LINE_MAX), StandardCharsets.ISO_8859_1);
            return start.lines().findFirst().orElse("");
        } catch (IOException closed) {
            return "";
        }
    }

    /// That of its package, or of the last number in its path: `…/versions/2.1.0`.
    private static Optional<String> version(Path installed, Path real) {
        String stated = manifest(installed).path("version").asString("");
        if (!stated.isEmpty()) {
            return Optional.of(stated);
        }
        return Stream.of(real.toString().split("/"))
                .filter(name -> name.matches("v?[0-9]+\\.[0-9]+(\\.[0-9]+)?"))
                .reduce((_, last) -> last);
    }

    /// What `npm config set prefix` wrote.
    private Optional<Path> npmPrefix() {
        Path file = home.resolve(".npmrc");
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(String::strip)
                    .filter(line -> line.matches("prefix\\s*=.+"))
                    .map(line -> line.substring(line.indexOf('=') + 1).strip())
                    .map(text -> text.replace("${HOME}", home.toString()))
                    .map(this::expanded)
                    .filter(Path::isAbsolute)
                    .findFirst();
        } catch (IOException | java.io.UncheckedIOException none) {
            return Optional.empty();
        }
    }

    /// The newest node first.
    private List<Path> nvm() {
        Path versions = Optional.ofNullable(environment.get("NVM_DIR"))
                .map(Path::of)
                .orElse(home.resolve(".nvm"))
                .resolve("versions/node");
        if (!Files.isDirectory(versions)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(versions)) {
            return all.sorted(Comparator.comparing(AgentFinder::numbers).reversed())
                    .map(version -> version.resolve("bin"))
                    .toList();
        } catch (IOException closed) {
            return List.of();
        }
    }

    /// `v22.3.0` as text that sorts by number.
    private static String numbers(Path version) {
        var text = new StringBuilder();
        for (String part : version.getFileName().toString().split("[^0-9]+")) {
            text.append("%9s.".formatted(part));
        }
        return text.toString();
    }
}
