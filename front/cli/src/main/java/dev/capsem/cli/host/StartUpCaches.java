package dev.capsem.cli.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The start-up caches of our programs, as scripts/train left them in `aot/`. A JVM that cannot use its cache says
/// nothing and starts slowly, so somebody else has to look.
final class StartUpCaches {
    /// The same as `programs_with_cache` in scripts/toolchain.sh.
    static final List<String> PROGRAMS = List.of(
            "capsem",
            "capgate",
            "capsem-mcp",
            "mitos-mcp",
            "capsem-service",
            "capsem-process",
            "capsem-mcp-aggregator",
            "capsem-mcp-builtin");

    private final Path dist;
    private final String javaHome;
    private final String runtime;

    /// @param javaHome where the JVM is that runs the programs
    /// @param runtime its version with the build number
    StartUpCaches(Path dist, String javaHome, String runtime) {
        this.dist = dist;
        this.javaHome = javaHome;
        this.runtime = runtime;
    }

    static StartUpCaches of(Path dist) {
        return new StartUpCaches(
                dist, System.getProperty("java.home", ""), System.getProperty("java.runtime.version", ""));
    }

    /// One sentence for each cache that is missing or of no use; empty when all is well.
    List<String> complaints() {
        if (!Files.isDirectory(dist.resolve("bin"))) {
            return List.of(); // Run from classes, not from a build.
        }
        Optional<String> conditions = read("made-for");
        if (conditions.isEmpty()) {
            return List.of("there are no start-up caches");
        }
        if (!conditions.get().contains("dist=" + dist + "\n")) {
            return List.of("the start-up caches were made at another place than " + dist);
        }
        if (!conditions.get().contains("java=" + javaHome + "\n")
                || !conditions.get().contains("runtime=" + runtime + "\n")) {
            return List.of("the start-up caches were made for another JDK than " + javaHome + " (" + runtime + ")");
        }
        if (isAnyLibraryNewer()) {
            return List.of("the start-up caches are older than the libraries");
        }
        List<String> reasons = read("missing").orElse("").lines().toList();
        List<String> complaints = new ArrayList<>();
        for (String program : PROGRAMS) {
            if (!Files.isReadable(caches().resolve(program + ".aot"))) {
                complaints.add("no start-up cache for " + reason(program, reasons));
            }
        }
        return complaints;
    }

    /// The commands that a writer of that directory could run.
    String remedy() {
        String build = Optional.ofNullable(dist.getParent()).orElse(dist).resolve("capsem") + " build";
        return Files.isWritable(caches()) ? build : "ask the owner of " + dist + " to run " + build;
    }

    private static String reason(String program, List<String> reasons) {
        return reasons.stream()
                .filter(line -> line.startsWith(program + ": "))
                .findFirst()
                .orElse(program);
    }

    private boolean isAnyLibraryNewer() {
        try (Stream<Path> libraries = Files.list(dist.resolve("lib"))) {
            FileTime made = Files.getLastModifiedTime(caches().resolve("made-for"));
            for (Path library : libraries.toList()) {
                if (Files.getLastModifiedTime(library).compareTo(made) > 0) {
                    return true;
                }
            }
            return false;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private Path caches() {
        return dist.resolve("aot");
    }

    private Optional<String> read(String name) {
        try {
            return Optional.of(Files.readString(caches().resolve(name)));
        } catch (IOException absent) {
            return Optional.empty();
        }
    }
}
