package dev.capsem.cli.agent.recipe;

import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The recipes there are: four that come with Capsem, and the user's own, which stand in front of them.
public final class RecipeShelf {
    /// In the order in which they are listed.
    public static final List<String> SHIPPED = List.of("claude", "codex", "gemini", "opencode");

    private static final int BYTES_MAX = 64 * 1024;

    private final Path directory;

    /// @param capsemHome `$CAPSEM_HOME`
    public RecipeShelf(Path capsemHome) {
        this.directory = capsemHome.resolve("agents");
    }

    /// One recipe as it was found.
    ///
    /// @param own whether it is the user's
    public record Entry(String name, boolean own, SourceText source, RecipeReader.Reading reading) {}

    public List<Entry> all() {
        var entries = new TreeMap<String, Entry>();
        SHIPPED.forEach(name -> entries.put(name, read(name, shipped(name), false)));
        for (String name : ownNames()) {
            own(name).ifPresent(source -> entries.put(name, read(name, source, true)));
        }
        return new ArrayList<>(entries.values());
    }

    public Optional<Entry> find(String name) {
        if (!name.matches("[a-z0-9][a-z0-9-]{0,31}")) {
            return Optional.empty();
        }
        return own(name)
                .map(source -> read(name, source, true))
                .or(() -> SHIPPED.contains(name) ? Optional.of(read(name, shipped(name), false)) : Optional.empty());
    }

    /// Keeps a recipe of the user's; answers where.
    ///
    /// Requires: a text without mistakes, of that name.
    public Path add(String name, String text) {
        try {
            Files.createDirectories(directory);
            Path file = file(name);
            Path partial = Files.createTempFile(directory, name, ".partial");
            Files.writeString(partial, text);
            return Files.move(partial, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new UncheckedIOException("the recipe cannot be kept in " + directory, failure);
        }
    }

    private Path file(String name) {
        return directory.resolve(name + ".toml");
    }

    private List<String> ownNames() {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("[a-z0-9][a-z0-9-]{0,31}\\.toml"))
                    .map(name -> name.substring(0, name.length() - ".toml".length()))
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(directory + " cannot be read", failure);
        }
    }

    private static Entry read(String name, SourceText source, boolean own) {
        return new Entry(name, own, source, RecipeReader.read(source));
    }

    private Optional<SourceText> own(String name) {
        Path file = file(name);
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(file)) {
            String text = new String(in.readNBytes(BYTES_MAX), StandardCharsets.UTF_8);
            return Optional.of(new SourceText(file.toString(), Layer.USER, text));
        } catch (IOException failure) {
            throw new UncheckedIOException(file + " cannot be read", failure);
        }
    }

    private static SourceText shipped(String name) {
        try (InputStream in = RecipeShelf.class.getResourceAsStream(name + ".toml")) {
            if (in == null) {
                throw new IllegalStateException("the recipe " + name + " is not in this program");
            }
            return new SourceText(
                    name + ".toml", Layer.BUILT_IN, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
