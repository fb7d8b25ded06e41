package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.bwrap.io.HostFiles;
import dev.capsem.sandbox.bwrap.io.TemplateStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BwrapFilesTest {
    /// A spare that starts while `status` tries a start sweeps the templates.
    @Test
    void aTrialOutlivesTheSweepOfTheTemplates(@TempDir Path home) throws IOException {
        BwrapFiles files = BwrapFiles.in(home.resolve("dist"), home);
        Path trial = HostFiles.scratchDirectory(files.trials());
        Path stale = Files.createDirectories(files.templates().resolve("stale"));
        List<Path> removed = new ArrayList<>();

        new TemplateStore(files.templates()).hold("now", BwrapFilesTest::make, removed::add);

        assertThat(removed).containsExactly(stale).doesNotContain(trial);
    }

    private static void make(Path template) {
        try {
            Files.createDirectories(template);
            Files.writeString(template.resolve("stamp"), "now");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
