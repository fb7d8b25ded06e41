package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.manifest.TomlPackage;
import dev.capsem.sandbox.workspace.tree.FoldedName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Names of files that tools on the host run, or take orders from. A list of what is common, not of all there is. Pure.
final class ToolFiles {
    enum Kind {
        /// By merely meeting them: a shell that enters the directory, an editor that opens it, git, an agent, a CI.
        BY_ITSELF,
        /// What people and editors start without looking.
        ENTRY_POINT
    }

    /// Anywhere in a project: tools look beside the file that is open. A name that ends in `/` means all below it.
    private static final String BY_THEMSELVES = """
            .envrc .env .autoenv .direnv/ .mise.toml mise.toml .mise.*.toml mise.*.toml .mise/ .config/mise/
            .tool-versions shell.nix flake.nix devenv.nix
            .vscode/ *.code-workspace .idea/ .zed/ .fleet/ *.sublime-project .vim/ .nvim/ .vimrc .nvimrc .exrc
            .nvim.lua .lvimrc .helix/ .theia/ .vs/ .kateproject .run/ nbproject/
            .project .factorypath .externaltoolbuilders/ .ycm_extra_conf.py .dir-locals.el .dir-locals-2.el .devcontainer/ .devcontainer.json
            .gdbinit .lldbinit .rprofile .renviron .ghci .ocamlinit .irbrc .pryrc .rdbgrc .byebugrc .pdbrc .iex.exs .julia/
            sitecustomize.py usercustomize.py
            .mcp.json mcp.json .claude/ claude.md claude.local.md agents.md agents.override.md gemini.md .cursor/
            .cursorrules .windsurf/ .windsurfrules .codex/ .gemini/ .opencode/ opencode.json opencode.jsonc
            .continue/ .aider.* .roo/ .roomodes .clinerules .clinerules/ .kiro/ .amazonq/ .junie/ .augment/
            agent.md .agents/ .qwen/ qwen.md .warp/ warp.md .trae/ .qodo/ .crush.json crush.json .crush/ crush.md .amp/
            .factory/ .copilot/ .cline/ .zencoder/ .rovodev/ .vibe/ .rules
            .goosehints .github/copilot-instructions.md .github/instructions/ .github/prompts/
            .gitconfig .lfsconfig .githooks/ .husky/ .huskyrc.* lefthook.* .lefthook.* .lefthook/ .lefthook-local/
            .pre-commit-config.yaml .pre-commit-hooks.yaml .overcommit.yml .lintstagedrc .lintstagedrc.*
            lint-staged.config.* .simple-git-hooks.* simple-git-hooks.* .commitlintrc .commitlintrc.* commitlint.config.*
            .github/workflows/ .github/actions/ .github/dependabot.yml .forgejo/workflows/ .gitea/workflows/
            .gitlab-ci.yml .gitlab/ci/ .circleci/ .travis.yml azure-pipelines.yml azure-pipelines.yaml .azure-pipelines/ jenkinsfile
            .drone.yml .woodpecker.yml .woodpecker/ bitbucket-pipelines.yml .buildkite/ appveyor.yml .appveyor.yml
            .cirrus.yml .build.yml .builds/ .semaphore/ semaphore.yml wercker.yml codefresh.yml cloudbuild.yaml .teamcity/ .tekton/ renovate.json .renovaterc
            .npmrc .yarnrc .yarnrc.yml .yarn/releases/ .yarn/plugins/ .pnpmfile.cjs pnpmfile.js bunfig.toml
            pip.conf .cargo/ rust-toolchain rust-toolchain.toml build.rs .mvn/ .bazelrc .bazelversion .bundle/ .jvmopts .sbtopts
            package.swift .eslintrc .eslintrc.* eslint.config.* prettier.config.* .prettierrc .prettierrc.*
            stylelint.config.* .stylelintrc .stylelintrc.* tailwind.config.* .pylintrc pylintrc mypy.ini .mypy.ini
            .rubocop.yml .solargraph.yml .php-cs-fixer.php .php-cs-fixer.dist.php phpstan.neon phpstan.neon.dist
            .flake8 .gitpod.yml .replit replit.nix .babelrc .babelrc.* babel.config.* .postcssrc .postcssrc.*
            postcss.config.* .storybook/ directory.build.props directory.build.targets
            .hg/ .sl/ .jj/ .bzr/ .svn/ _darcs/ .pijul/ .pnp.* .trunk/ *.pth ipython_config.py jupyter_*.py
            .autoenv.zsh .rvmrc .powrc .rbenv-vars .erlang
            .profile .bashrc .bash_profile .bash_login .bash_logout .zshrc .zshenv .zprofile .zlogin .inputrc .tmux.conf
            .screenrc .psqlrc .sqliterc .my.cnf .curlrc .wgetrc .netrc .ansible.cfg .terraformrc
            """;

    private static final String ENTRY_POINTS = """
            makefile gnumakefile bsdmakefile justfile .justfile taskfile.yml taskfile.yaml taskfile.dist.yml
            taskfile.dist.yaml rakefile gemfile jakefile gruntfile.* gulpfile.* sconstruct cmakelists.txt
            cmakepresets.json meson.build configure wscript build.xml *.sbt build.zig build.bazel module.bazel workspace.bazel
            tools/bazel default.nix project.clj rebar.config setup.hs snakefile guardfile capfile brewfile podfile
            fastlane/ .rspec phpunit.xml phpunit.xml.dist wp-cli.yml ansible.cfg terragrunt.hcl .tmuxinator.yml
            build.gradle build.gradle.kts
            settings.gradle settings.gradle.kts init.gradle gradlew gradlew.bat gradle/wrapper/ mvnw mvnw.cmd
            noxfile.py tox.ini setup.py dodo.py fabfile.py tasks.py magefile.go mix.exs vagrantfile procfile
            tiltfile earthfile docker-compose.yml docker-compose.yaml docker-compose.override.yml compose.yml
            compose.yaml docker-compose.*.yml docker-compose.*.yaml compose.*.yml compose.*.yaml docker-bake.hcl
            dockerfile dockerfile.* *.dockerfile containerfile containerfile.* skaffold.yaml
            package.yaml package.json5 deno.json deno.jsonc
            *.gradle *.gradle.kts gradle.properties buildsrc/ pom.xml *.csproj *.fsproj *.vbproj *.vcxproj *.gemspec
            config.ru setup.cfg conftest.py pytest.ini .pytest.ini tox.toml hatch_build.py .coveragerc
            webpack.config.* webpack.*.js webpack.*.ts vite.config.* vitest.config.* vitest.workspace.* rollup.config.*
            rolldown.config.* esbuild.config.* esbuild.js esbuild.mjs esbuild.ts rspack.config.* rsbuild.config.*
            tsup.config.* tsdown.config.* .parcelrc next.config.* nuxt.config.* svelte.config.* astro.config.*
            remix.config.* react-router.config.* gatsby-config.* gatsby-node.* vue.config.* craco.config.*
            metro.config.* app.config.* electron.vite.config.* ember-cli-build.js uno.config.*
            jest.config.* jest.setup.* karma.conf.* playwright.config.* cypress.config.* cypress/support/ wdio.conf.*
            .mocharc.* ava.config.* nyc.config.* hardhat.config.* truffle-config.js foundry.toml
            .releaserc .releaserc.* release.config.* angular.json nx.json turbo.json lerna.json
            *.config.js *.config.cjs *.config.mjs *.config.ts *.config.mts *.config.cts *.conf.js *.conf.ts
            .*rc.js .*rc.cjs .*rc.mjs .*rc.ts electron-builder.* knexfile.* ormconfig.* codegen.ts rector.php
            workspace dune dune-project deps.edn *.mk nuget.config global.json uv.toml pixi.toml hatch.toml
            """;

    /// Whose entry points nobody starts: they came with somebody's package.
    private static final Set<String> DEPENDENCIES = Set.of("node_modules", "vendor", "site-packages");

    private static final String ANY = "*";

    /// Those with a `*` in the first name are below [#ANY].
    private static final Map<String, List<Entry>> ENTRIES = new HashMap<>();

    static {
        read(BY_THEMSELVES, Kind.BY_ITSELF);
        read(ENTRY_POINTS, Kind.ENTRY_POINT);
    }

    private ToolFiles() {}

    private record Entry(List<String> names, boolean isDirectory, Kind kind) {
        /// How many names of `path` from `at` on are those of this entry, in order, to the end of either.
        int common(List<String> path, int at) {
            int count = 0;
            while (count < names.size() && at + count < path.size() && isLike(names.get(count), path.get(at + count))) {
                count++;
            }
            return count;
        }

        boolean isAt(List<String> path, int at) {
            boolean isWhole = common(path, at) == names.size();
            return isWhole && (isDirectory || at + names.size() == path.size());
        }

        /// Whether the path ends on the way to this entry, or at a directory of tools.
        boolean beginsAt(List<String> path, int at) {
            int count = common(path, at);
            return at + count == path.size() && (isDirectory || count < names.size());
        }

        private static boolean isLike(String pattern, String name) {
            int star = pattern.indexOf('*');
            return star < 0
                    ? pattern.equals(name)
                    : name.length() >= pattern.length()
                            && name.startsWith(pattern.substring(0, star))
                            && name.endsWith(pattern.substring(star + 1));
        }
    }

    private static void read(String text, Kind kind) {
        for (String word : text.strip().split("\\s+")) {
            var entry = new Entry(List.of(word.split("/")), word.endsWith("/"), kind);
            String first = entry.names.getFirst();
            ENTRIES.computeIfAbsent(first.contains("*") ? ANY : first, _ -> new ArrayList<>())
                    .add(entry);
        }
    }

    /// What a file of this name is to tools, if anything.
    static Optional<Kind> kind(Path path) {
        List<String> names = FoldedName.all(path);
        boolean isDependency = isDependency(names);
        for (int at = 0; at < names.size(); at++) {
            for (Entry entry : candidates(names.get(at))) {
                if (entry.isAt(names, at) && !(isDependency && entry.kind == Kind.ENTRY_POINT)) {
                    return Optional.of(entry.kind);
                }
            }
        }
        return Optional.empty();
    }

    /// Whether a link of this name could put something where tools look.
    static boolean leadsToOne(Path path) {
        List<String> names = FoldedName.all(path);
        for (int at = 0; at < names.size(); at++) {
            for (Entry entry : candidates(names.get(at))) {
                if (entry.beginsAt(names, at)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Whether everything below this path belongs to tools, so that naming it names that.
    static boolean isDirectory(Path path) {
        List<String> names = FoldedName.all(path);
        for (int at = 0; at < names.size(); at++) {
            for (Entry entry : candidates(names.get(at))) {
                if (entry.isDirectory && entry.isAt(names, at)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// A list of dependencies and, besides, of commands.
    static boolean isPackage(Path path) {
        String name = FoldedName.of(path.getFileName());
        boolean isOne = name.equals("package.json")
                || name.equals("composer.json")
                || TomlPackage.named(name).isPresent();
        return isOne && !isDependency(FoldedName.all(path));
    }

    private static boolean isDependency(List<String> names) {
        return names.stream().anyMatch(DEPENDENCIES::contains);
    }

    private static List<Entry> candidates(String name) {
        List<Entry> exact = ENTRIES.getOrDefault(name, List.of());
        List<Entry> alike = ENTRIES.getOrDefault(ANY, List.of());
        if (exact.isEmpty()) {
            return alike;
        }
        var all = new ArrayList<>(exact);
        all.addAll(alike);
        return all;
    }
}
