package dev.capsem.sandbox.workspace.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Descriptions and dependencies change every day and come home; what a tool runs waits.
class TomlPackageTest {
    private static final String BEFORE = """
            [build-system]
            requires = ["hatchling"]
            build-backend = "hatchling.build"

            [project]
            name = "a" # a comment
            dependencies = ["b"]

            [tool.pytest.ini_options]
            addopts = "-q"
            """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "version = \"2\"",
                "description = 'it # is \"so\"'",
                "dependencies2 = 1",
                "[dependency-groups]\ntest = [\n  \"pytest>=8\", # yes\n  { include-group = \"x\" },\n]",
                "[tool.ruff.lint]\nselect = [\"ALL\"]",
                "urls.Home = \"https://a.example\""
            })
    void whatOnlyDescribesComesHome(String more) {
        String after = BEFORE.replace(
                        "dependencies = [\"b\"]\n",
                        "dependencies = [\n  \"b\",\n  \"c\",\n]\n" + (more.startsWith("[") ? "" : more + "\n"))
                + (more.startsWith("[") ? more : "");

        assertThat(reason(TomlPackage.PYTHON, BEFORE, after).isEmpty())
                .as(after)
                .isEqualTo(!more.contains("dependencies2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[project.scripts]\nx = \"evil:main\"",
                "[tool.pdm.scripts]\npost_install = \"evil\"",
                "[tool.mypy]\nplugins = [\"evil\"]",
                "[tool.hatch.build.hooks.custom]\npath = \"evil.py\"",
                "[project . scripts]\nx = \"evil:main\"",
                "[\"project\".\"scripts\"]\nx = \"evil:main\"",
                "[tool.ruff]\nx = \"\"\"\n[tool.ruff]\n\"\"\"\n[tool.pytest]\naddopts = \"-p evil\"",
                "[tool.ruff]\nx = '''\n'''",
                "[tool.ruff]\nx = \"a\\\"\n[project.scripts]\ny = \"b\"",
                "[tool.ruff]\nx = [\n[tool.pytest]\n",
                "[tool.ruff]\nx = 1 ]",
                "[tool.ruff]\nx = 1\rpwn = 2",
                "[tool.ruff] x = 1",
                "[[tool.ruff]\nx = 1",
                "[tool.ruff]\nx = 1\nx = 2",
                "no key"
            })
    void whatToolsRunAndWhatIsUnclearWaits(String more) {
        assertThat(reason(TomlPackage.PYTHON, BEFORE, BEFORE + more)).isNotEmpty();
    }

    @Test
    void namesWhatChanged() {
        assertThat(reason(TomlPackage.PYTHON, BEFORE, BEFORE.replace("-q", "-p evil")))
                .isEqualTo("your tools may run what changed in it: tool.pytest.ini_options.addopts");
        assertThat(reason(TomlPackage.PYTHON, BEFORE, BEFORE.replace("[build-system]", "[build-systems]")))
                .contains("build-system.build-backend");
        assertThat(reason(TomlPackage.PYTHON, BEFORE, BEFORE.replace("\n", "\r\n")))
                .isEmpty();
        assertThat(reason(TomlPackage.PYTHON, "", BEFORE)).contains("build-system");
        assertThat(reason(TomlPackage.PYTHON, "", "[project]\nname = \"a\"\n")).isEmpty();
    }

    @Test
    void aBuildScriptUnderAnotherNameWaits() {
        String before = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n[dependencies]\nserde = \"1\"\n";

        assertThat(reason(TomlPackage.RUST, before, before + "rand = { version = \"0.8\", features = [\"x\"] }\n"))
                .isEmpty();
        assertThat(reason(TomlPackage.RUST, before, before.replace("\"1.0.0\"", "\"1.0.1\"\nbuild = \"src/evil.rs\"")))
                .contains("package.build");
        assertThat(reason(TomlPackage.RUST, before, before + "[lib]\nproc-macro = true\n"))
                .contains("lib.proc-macro");
    }

    @Test
    void isFoundByTheNameOfItsFile() {
        assertThat(TomlPackage.named("pyproject.toml")).contains(TomlPackage.PYTHON);
        assertThat(TomlPackage.named("cargo.toml")).contains(TomlPackage.RUST);
        assertThat(TomlPackage.named("other.toml")).isEmpty();
    }

    private static String reason(TomlPackage kind, String before, String after) {
        return kind.reason(before.getBytes(StandardCharsets.UTF_8), after.getBytes(StandardCharsets.UTF_8))
                .orElse("");
    }
}
