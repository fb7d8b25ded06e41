package dev.capsem.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Runs the kept corpus without a fuzzer: what was found once stays mended.
class CorpusTest {
    private static final Path CORPUS = Path.of("corpus");
    private static final long CORPUS_BYTES_MAX = 1_000_000;

    private static Map<String, String> targets() throws IOException {
        Map<String, String> targets = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("targets.txt"))) {
            if (!line.startsWith("#") && !line.isBlank()) {
                String[] words = line.split(" +");
                targets.put(words[0], words[1]);
            }
        }
        return targets;
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted(Comparator.comparing(Path::toString)).toList();
        }
    }

    private static MethodHandle target(String className) throws ReflectiveOperationException {
        return MethodHandles.publicLookup()
                .findStatic(
                        Class.forName(className),
                        "fuzzerTestOneInput",
                        MethodType.methodType(void.class, byte[].class));
    }

    private static void feed(MethodHandle target, byte[] bytes) throws Throwable {
        target.invoke(bytes);
    }

    @TestFactory
    Stream<DynamicTest> everyFileOfTheCorpusHoldsItsProperties() throws IOException {
        return targets().entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    MethodHandle target = target(each.getValue());
                    List<Path> files = files(CORPUS.resolve(each.getKey()));

                    assertThat(files).as("files in corpus/%s", each.getKey()).isNotEmpty();
                    feed(target, new byte[0]);
                    for (Path file : files) {
                        try {
                            feed(target, Files.readAllBytes(file));
                        } catch (AssertionError | RuntimeException e) {
                            throw new AssertionError(file + ": " + e, e);
                        }
                    }
                }));
    }

    @Test
    void theCorpusIsSmallAndHasNoFolderWithoutATarget() throws IOException {
        long bytes = 0;
        for (Path folder : files(CORPUS)) {
            String name = String.valueOf(folder.getFileName());
            // Those of the guest's C have no class; scripts/check-fuzz knows them.
            assertThat(name.startsWith("c-") || targets().containsKey(name))
                    .as("a target named %s", name)
                    .isTrue();
            for (Path file : files(folder)) {
                bytes += Files.size(file);
            }
        }
        assertThat(bytes).isLessThan(CORPUS_BYTES_MAX);
    }
}
