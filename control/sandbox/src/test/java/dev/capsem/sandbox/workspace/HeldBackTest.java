package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.workspace.launch.HostGit;
import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import dev.capsem.sandbox.workspace.tree.PathText;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A guest that wants the host's tools to run something of its own: nothing of that comes back unasked.
@Tag("sockets")
class HeldBackTest {
    private static final HostGit GIT = HostGit.ofThisUser();

    @TempDir
    Path root;

    private ProjectFixture fixture;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".envrc",
                "sub/.ENVRC",
                ".hg/hgrc",
                "lib/.hg/hgrc",
                ".sl/config",
                ".jj/repo/config.toml",
                ".bzr/branch/branch.conf",
                ".pnp.cjs",
                ".trunk/trunk.yaml",
                ".venv/lib/python3/site-packages/x.pth",
                "jupyter_server_config.py",
                ".autoenv.zsh",
                "dot/.bashrc",
                ".zshenv",
                ".tmux.conf",
                ".psqlrc",
                "drizzle.config.ts",
                "nightwatch.conf.js",
                ".graphqlrc.js",
                "knexfile.js",
                "WORKSPACE",
                "dune",
                "deps.edn",
                "rules.mk",
                "pixi.toml",
                ".env",
                ".mise.toml",
                ".vscode/tasks.json",
                "app.code-workspace",
                ".idea/runConfigurations/x.xml",
                ".nvim.lua",
                ".dir-locals.el",
                ".gdbinit",
                ".Rprofile",
                ".mcp.json",
                ".claude/commands/x.md",
                "CLAUDE.md",
                "deep/AGENTS.md",
                ".cursor/rules/x.mdc",
                ".gitconfig",
                ".husky/pre-commit",
                ".hu%C5%BFky/pre-commit",
                ".hu%E2%80%8Csky/pre-commit",
                ".husky./pre-commit",
                ".pre-commit-config.yaml",
                ".github/workflows/ci.yml",
                ".gitlab-ci.yml",
                "Jenkinsfile",
                ".npmrc",
                ".yarnrc.yml",
                ".pnpmfile.cjs",
                ".cargo/config.toml",
                "build.rs",
                "Makefile",
                "src/makefile",
                "justfile",
                "Taskfile.yaml",
                "build.gradle.kts",
                "gradlew",
                ".mvn/extensions.xml",
                "Gemfile",
                "eslint.config.mjs",
                "docker-compose.yml",
                "conf/hooks/post-receive.sample/.envrc",
                "mise.local.toml",
                ".config/mise/config.toml",
                ".helix/languages.toml",
                ".run/x.run.xml",
                ".project",
                "nbproject/build-impl.xml",
                ".lfsconfig",
                ".qwen/settings.json",
                ".agents/skills/x/SKILL.md",
                "crush.json",
                ".rules",
                ".aider.model.settings.yml",
                "commitlint.config.cjs",
                ".builds/x.yml",
                "azure-pipelines.yaml",
                ".bazelversion",
                "tools/bazel",
                ".bundle/config",
                ".sbtopts",
                "project/plugins.sbt",
                "Package.swift",
                ".eslintrc.json",
                ".prettierrc",
                ".stylelintrc.yml",
                ".pylintrc",
                "mypy.ini",
                ".rubocop.yml",
                ".php-cs-fixer.php",
                "default.nix",
                "Podfile",
                "fastlane/Fastfile",
                "build.zig",
                "ansible.cfg",
                ".Renviron",
                "setup.cfg",
                "tox.ini",
                "noxfile.py",
                "tests/conftest.py",
                "pytest.ini",
                ".flake8",
                "webpack.config.cjs",
                "webpack.prod.js",
                "vite.config.ts",
                "vitest.config.mts",
                "rollup.config.mjs",
                "esbuild.mjs",
                "next.config.js",
                "babel.config.cjs",
                ".babelrc",
                "postcss.config.mjs",
                "tailwind.config.ts",
                "jest.config.ts",
                "playwright.config.ts",
                ".mocharc.cjs",
                "prettier.config.mjs",
                "settings.gradle",
                "lib/module.gradle",
                "buildSrc/src/x.kt",
                "gradle.properties",
                "pom.xml",
                "app/App.csproj",
                "Directory.Build.targets",
                "x.gemspec",
                "Rakefile",
                "Dockerfile",
                "Dockerfile.dev",
                "docker/api.Dockerfile",
                "docker-compose.prod.yml",
                "compose.override.yaml",
                ".devcontainer/devcontainer.json",
                ".storybook/main.ts",
                "angular.json"
            })
    void toolsRunItSoItWaits(String path) throws IOException {
        fixture.recorded().changed(path, "evil").changed("ok.txt", "ok");

        ApplyOutcome all = fixture.force();

        Path held = PathText.parse(path);
        assertThat(all.skipped()).extracting(ApplyProblem::path).containsExactly(held);
        assertThat(all.held()).containsExactly(held);
        assertThat(fixture.project.resolve(held)).doesNotExist();
        assertThat(fixture.text("ok.txt")).isEqualTo("ok");
        assertThat(fixture.diff().held()).containsExactly(held);
        assertThat(fixture.apply(held.toString()).applied()).contains(held);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "src/main.c",
                "README.md",
                "src/config.ts",
                "src/user.conf",
                "lib/rc.js",
                "node_modules/x/y.config.js",
                "workspace/a.txt",
                "docs/pom.xml.md",
                "Makefile.txt",
                "docs/husky.md",
                "node_modules/x/Makefile",
                "vendor/lib/Makefile",
                "github/workflows.txt",
                "src/bazel",
                "config/mise.md",
                "rules",
                "project/notes.txt"
            })
    void ordinaryFilesDoNotWait(String path) {
        fixture.recorded().changed(path, "x");

        assertThat(fixture.apply().applied()).contains(Path.of(path));
    }

    @Test
    void aDirectoryOfToolsIsNamedByItsOwnName() throws IOException {
        fixture.recorded().changed("a/.husky/pre-commit", "x").changed("a/.husky/lib/run", "x");

        assertThat(fixture.apply("a").applied())
                .containsExactly(Path.of("a"), Path.of("a/.husky"), Path.of("a/.husky/lib"));
        assertThat(fixture.apply("a/.husky").applied())
                .containsExactly(Path.of("a/.husky/lib/run"), Path.of("a/.husky/pre-commit"));
    }

    @Test
    void aSettingThatIsRemovedWaitsToo() throws IOException {
        fixture.original(".claude/settings.json", "{\"deny\":[]}").recorded().deleted(".claude");

        ApplyOutcome outcome = fixture.force();

        assertThat(outcome.failed()).isEmpty();
        assertThat(outcome.applied()).isEmpty();
        assertThat(fixture.project.resolve(".claude/settings.json")).exists();
        assertThat(fixture.apply(".claude").failed()).isEmpty();
        assertThat(fixture.project.resolve(".claude")).doesNotExist();
    }

    @Test
    void aLinkWhereToolsLookWaits() throws IOException {
        fixture.recorded().changed("cfg/tasks.json", "evil").changed("cfg/pre-commit", "evil");
        Files.createSymbolicLink(fixture.upper.resolve(".vscode"), Path.of("cfg"));
        Files.createSymbolicLink(fixture.upper.resolve(".husky"), Path.of("cfg"));
        Files.createSymbolicLink(fixture.upper.resolve("package.json"), Path.of("cfg/tasks.json"));
        Files.createDirectory(fixture.upper.resolve(".github"));
        Files.createSymbolicLink(fixture.upper.resolve(".github/workflows"), Path.of("../cfg"));

        ApplyOutcome all = fixture.apply();

        assertThat(all.skipped())
                .extracting(ApplyProblem::path)
                .containsExactly(
                        Path.of(".github/workflows"), Path.of(".husky"), Path.of(".vscode"), Path.of("package.json"));
    }

    @Test
    void whatALinkOfTheUsersMakesToolsRunWaits() throws IOException {
        fixture.original("cfg/tasks.json", "{}").original("build/rules.mk", "all:\n");
        Files.createSymbolicLink(fixture.project.resolve(".vscode"), Path.of("cfg"));
        Files.createSymbolicLink(fixture.project.resolve("Makefile"), Path.of("build/rules.mk"));
        Files.createSymbolicLink(fixture.project.resolve(".envrc"), Path.of("cfg/env"));
        fixture.recorded()
                .changed("cfg/tasks.json", "evil")
                .changed("build/rules.mk", "evil")
                .changed("cfg/env", "evil");

        ApplyOutcome all = fixture.force();

        assertThat(all.applied()).isEmpty();
        assertThat(fixture.text("cfg/tasks.json")).isEqualTo("{}");
    }

    @Test
    void whatTheUsersGitRunsWaits() throws IOException {
        GIT.run(fixture.project, "init", "--quiet", "--template=");
        GIT.run(fixture.project, "config", "filter.x.clean", "sh 'tools/clean.sh' %f");
        GIT.run(fixture.project, "config", "--add", "core.hooksPath", "tools/hooks");
        fixture.original("scripts/check.sh", "ok").original("tools/other.sh", "ok");
        Path hooks = Files.createDirectories(fixture.project.resolve(".git/hooks"));
        Files.createSymbolicLink(hooks.resolve("pre-commit"), Path.of("../../scripts/check.sh"));
        fixture.recorded()
                .changed("scripts/check.sh", "evil")
                .changed("tools/clean.sh", "evil")
                .changed("tools/hooks/pre-push", "evil")
                .changed("tools/other.sh", "fine");

        ApplyOutcome all = fixture.force();

        assertThat(all.skipped())
                .extracting(ApplyProblem::path)
                .containsExactly(
                        Path.of("scripts/check.sh"), Path.of("tools/clean.sh"), Path.of("tools/hooks/pre-push"));
        assertThat(fixture.text("tools/other.sh")).isEqualTo("fine");
    }

    @Test
    void packageScriptsWaitAndDependenciesDoNot() throws IOException {
        fixture.original("package.json", "{\"name\":\"a\",\"scripts\":{\"test\":\"x\"},\"dependencies\":{}}")
                .original("web/package.json", "{\"name\":\"w\"}")
                .recorded()
                .changed("package.json", "{\"name\":\"a\",\"dependencies\":{\"b\":\"1\"},\"scripts\":{\"test\":\"x\"}}")
                .changed("web/package.json", "{\"name\":\"w\",\"scripts\":{\"postinstall\":\"evil\"}}")
                .changed("twice/package.json", "{\"name\":\"w\",\"name\":\"w\"}")
                .original("pyproject.toml", "[project]\nname = \"a\"\n")
                .original("lib/Cargo.toml", "[package]\nname = \"a\"\n")
                .recorded()
                .changed("pyproject.toml", "[project]\nname = \"a\"\ndependencies = [\"b\"]\n")
                .changed("lib/Cargo.toml", "[package]\nname = \"a\"\nbuild = \"evil.rs\"\n")
                .changed("node_modules/p/package.json", "{\"scripts\":{\"postinstall\":\"x\"}}");

        ApplyOutcome all = fixture.apply();

        assertThat(all.skipped())
                .extracting(ApplyProblem::path)
                .containsExactly(Path.of("lib/Cargo.toml"), Path.of("twice/package.json"), Path.of("web/package.json"));
        assertThat(fixture.text("pyproject.toml")).contains("\"b\"");
        assertThat(fixture.text("package.json")).contains("\"b\"");
        assertThat(fixture.text("web/package.json")).isEqualTo("{\"name\":\"w\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".Git/config",
                ".g%E2%80%8Cit/config",
                "sub/GIT~1/config",
                ".git%20/config",
                ".git./config",
                "x/.GIT"
            })
    void otherSpellingsOfGitAreGits(String path) {
        fixture.recorded().changed(path, "[core]\n").changed("ok.txt", "ok");

        assertThat(fixture.force().applied())
                .doesNotContain(PathText.parse(path))
                .contains(Path.of("ok.txt"));
        assertThat(fixture.project.resolve(PathText.parse(path))).doesNotExist();
    }

    @Test
    void theProjectItselfDoesNotBecomeARepository() {
        fixture.recorded()
                .changed("HEAD", "ref: refs/heads/x\n")
                .changed("config", "[core]\n fsmonitor = evil\n")
                .changed("objects/pack/p", "")
                .changed("refs/heads/x", "")
                .changed("ok.txt", "ok");

        ApplyOutcome all = fixture.force();

        assertThat(all.applied()).containsExactly(Path.of("ok.txt"));
        assertThat(fixture.project.resolve("HEAD")).doesNotExist();
        assertThat(all.skipped()).isNotEmpty();
    }

    @Test
    void aDirectoryWhoseObjectsAreElsewhereIsARepository() {
        fixture.recorded()
                .changed("d/HEAD", "ref: refs/heads/x\n")
                .changed("d/commondir", "../e\n")
                .changed("e/objects/pack/p", "")
                .changed("e/refs/heads/x", "")
                .changed("e/config", "[core]\n fsmonitor = evil\n");

        fixture.force();

        assertThat(fixture.project.resolve("d/HEAD")).doesNotExist();
        assertThat(fixture.project.resolve("d/commondir")).doesNotExist();
    }

    @Test
    void aRepositoryDoesNotComeInParts() throws IOException {
        fixture.original("d/HEAD", "ref: refs/heads/x\n")
                .original("d/refs/heads/x", "")
                .recorded();
        fixture.opaque("d").changed("d/objects/pack/p", "").changed("d/config", "[core]\n fsmonitor = evil\n");

        try {
            fixture.force("d/objects");
        } catch (WorkspaceException gitsOwn) {
            assertThat(gitsOwn.code()).isEqualTo(WorkspaceException.Code.GIT_OWN);
        }

        assertThat(fixture.project.resolve("d/objects")).doesNotExist();
    }

    @Test
    void aLinkCannotBeTurnedOutOfTheProjectLater() throws IOException {
        fixture.recorded().changed("d1/d2/file", "x");
        Files.createSymbolicLink(fixture.upper.resolve("x"), Path.of("d1/d2/../../f"));
        fixture.apply();
        Files.delete(fixture.upper.resolve("d1/d2/file"));
        Files.delete(fixture.upper.resolve("d1/d2"));
        Files.createSymbolicLink(fixture.upper.resolve("d1/d2"), Path.of(".."));

        fixture.force();

        assertThat(Files.isSymbolicLink(fixture.project.resolve("d1/d2"))).isTrue();
        assertThat(Files.isSymbolicLink(fixture.project.resolve("x"))).isFalse();
    }

    @Test
    void aLinkIntoGitsOwnDirectoryWaits() throws IOException {
        fixture.original(".git/hooks/x.sample", "x").recorded().changed("ok.txt", "ok");
        Files.createSymbolicLink(fixture.upper.resolve("gen"), Path.of(".git/hooks"));

        assertThat(fixture.apply().skipped()).extracting(ApplyProblem::path).isEqualTo(List.of(Path.of("gen")));
    }
}
