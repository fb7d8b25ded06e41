package dev.capsem.policy.docs;

import dev.capsem.policy.Compilation;
import dev.capsem.policy.FixtureManifests;
import dev.capsem.policy.Golden;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.grammar.CapabilityParser;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.policy.manifest.Grant;
import dev.capsem.policy.manifest.ManifestGrantReader;
import dev.capsem.policy.manifest.Parameter;
import dev.capsem.policy.review.CoverageTable;
import dev.capsem.policy.review.LintRule;
import dev.capsem.source.json.JsonReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Pages of docs/capgate that are written from the code; `-Dgolden.update` rewrites them.
class ReferencePagesTest {
    private static final Path DOCS = Path.of("../../docs/capgate");

    @Test
    void grammarReferenceMatchesTheCode() {
        List<String> lines = new ArrayList<>();
        lines.add("# Grammar reference");
        lines.add("");
        lines.add("Written from the code; a test compares it. Grammar version `" + CapabilityParser.GRAMMAR_VERSION
                + "`.");
        lines.add("");
        lines.add(
                "A capability is a string `kind:actions:scope[?name=value&…]`; `clock` and `assert` have no actions.");
        lines.add("Text that holds `:` is put in double quotes. Refinements follow the first `?`; only");
        lines.add("`nestedSandbox=true` has a meaning, other names travel along and are reported by `capgate check`.");
        lines.add("");
        lines.add("| kind | actions | scope | example |");
        lines.add("|---|---|---|---|");
        for (Kind kind : Kind.values()) {
            String actions = kind.actions().isEmpty() ? "–" : "`" + String.join("`, `", kind.actions()) + "`";
            lines.add("| `" + kind.word() + "` | " + actions + " | " + kind.scope() + " | `" + example(kind) + "` |");
        }
        lines.add("");
        lines.add(
                "Closure: `delete` implies `write`; `write`, `create` and `delete` imply `read`. A path ends plain, in");
        lines.add("`/`, `/*`, `/**` or in a file pattern such as `/*.txt`; globs elsewhere are refused.");
        lines.add("");
        lines.add("## Parameters");
        lines.add("");
        lines.add(
                "`\"parameters\": {\"root\": {\"type\": \"path\", \"default\": \"/workspace\"}}` declares `${root}`;");
        lines.add(
                "`--param root=/data` binds it. Values are put in after the string is cut, so a value can add no part,");
        lines.add("action or refinement. Bound values are part of the manifest hash.");
        lines.add("");
        lines.add("| type | value |");
        lines.add("|---|---|");
        for (Parameter.Type type : Parameter.Type.values()) {
            lines.add("| `" + type.word() + "` | " + type.meaning() + " |");
        }
        lines.add("");
        lines.add("## Codes");
        lines.add("");
        lines.add("Every code ends compilation with exit code 4. Codes are only ever added.");
        lines.add("");
        lines.add("| code | when |");
        lines.add("|---|---|");
        for (Code code : Code.values()) {
            lines.add("| `" + code + "` | " + code.meaning() + " |");
        }
        lines.add("");
        lines.add("## Limits");
        lines.add("");
        lines.add("| what | limit | answer |");
        lines.add("|---|---|---|");
        lines.add("| manifest | " + JsonReader.BYTES_MAX + " bytes | exit 3 |");
        lines.add("| nesting | " + JsonReader.DEPTH_MAX + " levels | exit 3 |");
        lines.add("| JSON values | " + JsonReader.VALUES_MAX + " | exit 3 |");
        lines.add("| capabilities | " + ManifestGrantReader.GRANTS_MAX + " | exit 4 |");
        lines.add("");
        lines.add("## Lint rules");
        lines.add("");
        lines.add("| rule | severity | finds |");
        lines.add("|---|---|---|");
        for (LintRule rule : LintRule.values()) {
            lines.add("| `" + rule.id() + "` | " + rule.severity().word() + " | " + rule.meaning() + " |");
        }
        write("grammar.md", lines);
    }

    private static String example(Kind kind) {
        return switch (kind) {
            case FS -> "fs:read,write:/workspace/**";
            case NET -> "net:connect:api.github.com:443";
            case EXEC -> "exec:spawn:chromium?nestedSandbox=true";
            case ENV -> "env:inject:GITHUB_PAT";
            case IPC -> "ipc:connect:\"unix:/run/app.sock\"";
            case CLOCK -> "clock:tzdata";
            case ASSERT -> "assert:postgres.read_only_txn:\"all queries run in READ ONLY TRANSACTION\"";
        };
    }

    @Test
    void supportMatrixMatchesTheCode() {
        List<String> lines = new ArrayList<>();
        lines.add("# What each target takes");
        lines.add("");
        lines.add(
                "Written from the code; a test compares it. A kind without a mark fails with `ADAPTER_UNSUPPORTED`, or is");
        lines.add("left out with a note under `--permissive`.");
        lines.add("");
        String kinds = List.of(Kind.values()).stream().map(Kind::word).collect(Collectors.joining(" | "));
        lines.add("| target | gives | " + kinds + " |");
        lines.add("|---|---|" + "---|".repeat(Kind.values().length));
        for (LoweringTarget target : LoweringTarget.values()) {
            String marks = List.of(Kind.values()).stream()
                    .map(kind -> target.supported().contains(kind) ? "✓" : "")
                    .collect(Collectors.joining(" | "));
            lines.add("| `" + target.word() + "` | " + target.purpose() + " | " + marks + " |");
        }
        lines.add("");
        lines.add("## Coverage of one capability of each shape");
        lines.add("");
        lines.add("The fixture `everything`: `E` enforced, `W` widened (a note says how), `H` left to the host,");
        lines.add("`–` unenforceable there.");
        lines.add("");
        CoverageTable table =
                CoverageTable.of(FixtureManifests.compile("everything").policy(), LoweringOptions.DEFAULT);
        lines.add("| capability | " + String.join(" | ", table.targets()) + " |");
        lines.add("|---|" + "---|".repeat(table.targets().size()));
        table.rows()
                .forEach((capability, row) -> lines.add("| `" + capability + "` | "
                        + table.targets().stream()
                                .map(target -> mark(row, target))
                                .collect(Collectors.joining(" | ")) + " |"));
        write("targets/README.md", lines);
    }

    private static String mark(Map<String, Coverage> row, String target) {
        Coverage coverage = row.get(target);
        if (coverage == null) {
            throw new IllegalStateException("no coverage for " + target);
        }
        return switch (coverage.status()) {
            case ENFORCED -> "E";
            case WIDENED -> "W";
            case HOST -> "H";
            case UNENFORCEABLE -> "–";
        };
    }

    @Test
    void serverInventoryMatchesTheFixtures() {
        List<String> lines = new ArrayList<>();
        lines.add("# Go or no go: ten real servers");
        lines.add("");
        lines.add("Can the grammar say what real MCP servers need, without judgement calls? For each of these ten the");
        lines.add(
                "manifest is written out, compiled and stored with its artifacts under `control/policy/src/test`. Written");
        lines.add("from those fixtures; a test compares it.");
        lines.add("");
        lines.add("- **mechanical**: every capability lowers to flags or a configuration.");
        lines.add(
                "- **mechanical (assert)**: as above, and a promise that no sandbox can enforce is carried for the host.");
        lines.add("- **nested-sandbox**: the program brings its own sandbox and needs namespaces left alone.");
        lines.add("");
        lines.add("| server | capabilities | parameters | status |");
        lines.add("|---|---|---|---|");
        for (String server : FixtureManifests.SERVERS) {
            Compilation compilation = FixtureManifests.compile(server);
            String capabilities = compilation.grants().stream()
                    .map(Grant::declared)
                    .map(declared -> "`" + declared.text() + "`")
                    .collect(Collectors.toCollection(TreeSet::new))
                    .stream()
                    .collect(Collectors.joining("<br>"));
            String parameters = compilation.manifest().parameters().stream()
                    .map(parameter ->
                            "`" + parameter.name() + "`: " + parameter.type().word())
                    .collect(Collectors.joining("<br>"));
            lines.add("| " + server + " | " + capabilities + " | " + parameters + " | " + status(compilation) + " |");
        }
        lines.add("");
        lines.add("Decision: go. Five (filesystem, git, memory, postgres, sqlite) depend on");
        lines.add(
                "values only the host knows and became possible with typed parameters; one needs the nested refinement; the rest are strings alone.");
        write("GO_NO_GO.md", lines);
    }

    private static String status(Compilation compilation) {
        if (compilation.policy().nestedSandbox()) {
            return "nested-sandbox";
        }
        return compilation.policy().assertions().isEmpty() ? "mechanical" : "mechanical (assert)";
    }

    private static void write(String page, List<String> lines) {
        Golden.check(DOCS.resolve(page), String.join("\n", lines) + "\n");
    }
}
