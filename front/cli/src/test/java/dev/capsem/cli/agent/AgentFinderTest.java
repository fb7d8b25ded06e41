package dev.capsem.cli.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.cli.agent.recipe.RecipeReader;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Exactly the installation is found, and no more of the home.
class AgentFinderTest {
    @TempDir
    Path directory;

    private Path home;

    @BeforeEach
    void resolve() throws IOException {
        home = directory.toRealPath();
    }

    private static AgentRecipe recipe(String more) {
        return RecipeReader.read(
                        new SourceText("t", Layer.USER, "schema = \"capsem.agent.v1\"\nname = \"tiny\"\n" + more))
                .recipe()
                .orElseThrow();
    }

    private AgentFinder.Found find(String more) {
        return new AgentFinder(Map.of("PATH", "/nowhere/bin"), home)
                .find(recipe(more))
                .orElseThrow();
    }

    private Path program(String path, String text) throws IOException {
        Path file = home.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    private void link(String name, String target) throws IOException {
        Path link = home.resolve(name);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(target));
    }

    @Test
    void aProgramOfItsOwnIsOneFile() throws IOException {
        Path real = program(".local/share/tiny/versions/2.1.7", "\u007fELF");
        link(".local/bin/tiny", "../share/tiny/versions/2.1.7");

        AgentFinder.Found found = find("");

        assertThat(found.mounts()).containsExactly(real);
        assertThat(found.command()).containsExactly(real.toString());
        assertThat(found.version()).hasValue("2.1.7");
        assertThat(found.path()).isEmpty();
    }

    @Test
    void anNpmPackageComesWithItsInterpreterOfNvm() throws IOException {
        Path script = program(
                ".nvm/versions/node/v22.1.0/lib/node_modules/@tiny/agent/cli.js", "#!/usr/bin/env -S node --x\n");
        Files.writeString(script.resolveSibling("package.json"), "{\"version\": \"0.3.0\"}");
        Path node = program(".nvm/versions/node/v22.1.0/bin/node", "\u007fELF");
        program(".nvm/versions/node/v9.0.0/bin/node", "\u007fELF");
        link(".nvm/versions/node/v22.1.0/bin/tiny", "../lib/node_modules/@tiny/agent/cli.js");

        AgentFinder.Found found = find("");

        assertThat(found.mounts()).containsExactly(script.getParent(), node);
        assertThat(found.command()).containsExactly(node.toString(), script.toString());
        assertThat(found.path()).containsExactly(node.getParent());
        assertThat(found.version()).hasValue("0.3.0");
    }

    @Test
    void dependenciesBesideAPackageComeAlong() throws IOException {
        Path script = program("npm/lib/node_modules/tiny/cli.js", "#!/bin/sh\n");
        Files.writeString(
                script.resolveSibling("package.json"),
                "{\"version\": \"1.0.0\", \"optionalDependencies\": {\"tiny-linux\": \"1\", \"tiny-mac\": \"1\"}}");
        program("npm/lib/node_modules/tiny-linux/tiny", "\u007fELF");
        link("npm/bin/tiny", "../lib/node_modules/tiny/cli.js");
        Files.writeString(home.resolve(".npmrc"), "prefix=${HOME}/npm\n");

        assertThat(find("").mounts()).containsExactly(home.resolve("npm/lib/node_modules"));
    }

    @Test
    void theRecipeNamesMorePlacesAndMounts() throws IOException {
        Path program = program(".tiny/bin/tiny", "#!/bin/sh\n");
        Path data = Files.createDirectories(home.resolve(".tiny/data"));

        AgentFinder.Found found = find("places = [\"~/.tiny/bin\"]\nmounts = [\"~/.tiny/data\", \"~/.tiny/none\"]\n");

        assertThat(found.mounts()).containsExactly(program, data);
    }

    @Test
    void anAgentThatIsNotThereIsNotFound() {
        assertThat(new AgentFinder(Map.of(), home).find(recipe(""))).isEmpty();
    }
}
