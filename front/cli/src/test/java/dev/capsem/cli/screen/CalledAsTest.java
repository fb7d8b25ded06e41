package dev.capsem.cli.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CalledAsTest {
    @Test
    void hintsNameTheScriptThatWasTyped(@TempDir Path root) {
        CalledAs called = CalledAs.of(Map.of("CAPSEM_CALLED_AS", "./capsem"), root.resolve("dist"));

        assertThat(called.adapt("  see them    capsem diff ID")).isEqualTo("  see them    ./capsem diff ID");
        assertThat(called.adapt("persist it first: `capsem persist x NAME`"))
                .isEqualTo("persist it first: `./capsem persist x NAME`");
        assertThat(called.adapt("\u001b[36mcapsem apply x\u001b[0m")).isEqualTo("\u001b[36m./capsem apply x\u001b[0m");
        assertThat(called.adapt("Usage: capsem [--uds-path PATH]")).isEqualTo("Usage: ./capsem [--uds-path PATH]");
        assertThat(called.adapt("run ./capsem setup")).isEqualTo("run ./capsem setup");
    }

    @Test
    void otherNamesAndPathsStay() {
        CalledAs called = new CalledAs("../c/capsem", "../c/capsem");

        for (String line : new String[] {
            "capsem: there is no sandbox x", "capsem-mcp serves", "/opt/capsem run", "my-capsem run", "in ~/.capsem now"
        }) {
            assertThat(called.adapt(line)).isEqualTo(line);
        }
    }

    @Test
    void fromThePathTheRepositorysScriptIsNamedWhole(@TempDir Path root) throws IOException {
        Path script = Files.createFile(root.resolve("capsem"));
        assertThat(script.toFile().setExecutable(true)).isTrue();

        CalledAs called = CalledAs.of(Map.of(), root.resolve("dist"));

        assertThat(called.adapt("run ./capsem setup")).isEqualTo("run " + script + " setup");
        assertThat(called.adapt("`capsem status`")).isEqualTo("`capsem status`");
    }

    @Test
    void remarksAndAdviceAreAdaptedAndAnswersAreNot() {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        Screen screen = new Screen(InputStream.nullInputStream(), out, err, Screen.Terminals.NONE, Map.of())
                .calledAs(new CalledAs("./capsem", "./capsem"));

        screen.print("a guest's line: capsem run");
        screen.advise("try: capsem run");
        screen.remark("try: capsem run");
        screen.out().flush();

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a guest's line: capsem run\ntry: ./capsem run\n");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("try: ./capsem run\n");
    }
}
