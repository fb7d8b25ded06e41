package dev.capsem.service.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PersistentRegistryTest {
    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    private Path file() {
        return directory.resolve("persistent_registry.json");
    }

    private static SandboxFacts facts(String name) {
        return new SandboxFacts(
                new SandboxId(name),
                new SandboxSpec.Limits(512, 1, 64),
                "0.1.0",
                Instant.ofEpochSecond(1_700_000_000),
                Path.of("/sessions", name),
                Optional.of("parent"),
                Optional.of("what it is for"),
                false,
                Optional.empty(),
                Map.of("A", "b"),
                Optional.of(
                        new SandboxSpec.Project(Path.of("/srv/app"), "app", SandboxSpec.Project.Access.COPY_ON_WRITE)),
                new SandboxSpec.View(
                        List.of(new SandboxSpec.Mount(Path.of("/srv/tool"), Path.of("/opt/tool"))), List.of(".env")),
                "default");
    }

    @Test
    void remembersEverythingAcrossRestarts() {
        PersistentRegistry registry = PersistentRegistry.open(file());
        registry.put(facts("b"));
        registry.put(facts("a"));
        registry.put(facts("a").withSuspended(true));
        registry.put(facts("c").defunct("the end"));
        registry.put(facts("d"));
        registry.remove(new SandboxId("d"));

        PersistentRegistry again = PersistentRegistry.open(file());

        assertThat(again.all())
                .containsExactly(
                        facts("a").withSuspended(true), facts("b"), facts("c").defunct("the end"));
    }

    @Test
    void startsEmptyWithoutAFile() {
        assertThat(PersistentRegistry.open(file()).all()).isEmpty();
        assertThat(file()).doesNotExist();
    }

    @Test
    void halfWrittenTemporaryFileIsNobodysLoss() throws IOException {
        PersistentRegistry.open(file()).put(facts("a"));
        Files.writeString(directory.resolve("persistent_registry.json.tmp"), "{\"vms\":{\"b\":");

        PersistentRegistry again = PersistentRegistry.open(file());
        again.put(facts("c"));

        assertThat(PersistentRegistry.open(file()).all()).containsExactly(facts("a"), facts("c"));
    }

    @Test
    void changeThatCannotBeWrittenIsNotVisible() throws IOException {
        PersistentRegistry registry = PersistentRegistry.open(file());
        registry.put(facts("a"));
        Files.delete(file());
        // A directory in the file's place cannot be replaced by a rename.
        Files.createDirectories(file().resolve("x"));

        assertThatThrownBy(() -> registry.put(facts("b"))).isInstanceOf(UncheckedIOException.class);

        assertThat(registry.all()).containsExactly(facts("a"));
    }

    @Test
    void damagedFileStopsTheServiceInsteadOfForgetting() throws IOException {
        for (String damaged : new String[] {"", "{", "{\"vms\":{\"a\":{}}}", "{\"vms\":{\"a\":{\"name\":\"../x\"}}}"}) {
            Files.writeString(file(), damaged);

            assertThatThrownBy(() -> PersistentRegistry.open(file()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("persistent_registry.json");
        }
    }

    @Test
    void onlyTheOwnerReadsIt() throws IOException {
        PersistentRegistry.open(file()).put(facts("a"));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }
}
