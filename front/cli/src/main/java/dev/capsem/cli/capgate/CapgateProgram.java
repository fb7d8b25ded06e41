package dev.capsem.cli.capgate;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.Compilation;
import dev.capsem.policy.CompileOptions;
import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.diagnostic.Diagnostic;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.policy.review.CoverageTable;
import dev.capsem.policy.review.Lint;
import dev.capsem.policy.review.PolicyDiff;
import dev.capsem.policy.review.ReviewFinding;
import dev.capsem.policy.review.ReviewLevel;
import dev.capsem.policy.review.Sarif;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import dev.capsem.source.json.ParsedJson;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The commands of `capgate`. Reads through [ManifestInput], writes to the two streams, answers with an exit code.
final class CapgateProgram {
    private final ManifestInput input;
    private final PrintStream out;
    private final PrintStream err;

    CapgateProgram(ManifestInput input, PrintStream out, PrintStream err) {
        this.input = input;
        this.out = out;
        this.err = err;
    }

    int run(List<String> args) {
        if (args.contains("-h") || args.contains("--help")) {
            print(Usage.text());
            return CapgateExit.SUCCESS.number();
        }
        String file = "";
        try {
            Arguments arguments = Arguments.parse(args);
            if (arguments.words().isEmpty()) {
                print(Usage.text());
                return CapgateExit.NO_COMMAND.number();
            }
            file = arguments.words().getLast();
            return run(arguments).number();
        } catch (Arguments.Misuse e) {
            err.print("capgate: " + ManifestText.of(String.valueOf(e.getMessage())) + "; see capgate --help\n");
            return CapgateExit.USAGE.number();
        } catch (ManifestInput.Unreadable e) {
            err.print("capgate: " + ManifestText.of(String.valueOf(e.getMessage())) + "\n");
            return CapgateExit.UNREADABLE.number();
        } catch (CompilationError e) {
            report(e, ManifestInput.label(file));
            return CapgateExit.COMPILATION.number();
        }
    }

    private CapgateExit run(Arguments arguments) {
        return switch (arguments.words().getFirst()) {
            case "compile" -> compile(arguments);
            case "check" -> check(arguments);
            case "diff" -> diff(arguments);
            case "explain" -> explain(arguments);
            case "verify" -> verify(arguments);
            default ->
                throw new Arguments.Misuse(
                        "unknown command '" + arguments.words().getFirst() + "'");
        };
    }

    private CapgateExit compile(Arguments arguments) {
        String file = operands(arguments, 1).getFirst();
        arguments.allowOnly(union(
                CompileRequest.COMPILE_OPTIONS,
                CompileRequest.LOWERING_OPTIONS,
                Set.of("--pretty", "--per-tool", "--coverage", "--raw")));
        CompileRequest request = CompileRequest.of(arguments, input);
        LoweringTarget target = target(request);
        if (arguments.has("--raw") && arguments.has("--per-tool")) {
            throw new Arguments.Misuse("--raw and --per-tool exclude each other");
        }
        Compilation compilation = Capgate.compilation(input.read(file), request.compile());
        Artifact artifact = lower(compilation, target, request.lowering());
        if (arguments.has("--raw")) {
            print(artifact.raw());
            return CapgateExit.SUCCESS;
        }
        boolean coverage = arguments.has("--coverage");
        JsonValue json = coverage ? artifact.toJsonWithCoverage() : artifact.toJson();
        if (arguments.has("--per-tool")) {
            json = JsonValue.members()
                    .put("union", json)
                    .put("tools", PerTool.artifacts(compilation, request, target, coverage))
                    .build();
        }
        print(arguments.has("--pretty") ? JsonWriter.pretty(json) : JsonWriter.compact(json));
        return CapgateExit.SUCCESS;
    }

    static Artifact lower(Compilation compilation, LoweringTarget target, LoweringOptions options) {
        List<String> names =
                compilation.manifest().tools().stream().map(Manifest.Tool::name).toList();
        return target.lower(compilation.policy(), options.withTools(names));
    }

    private CapgateExit check(Arguments arguments) {
        String file = operands(arguments, 1).getFirst();
        arguments.allowOnly(union(CompileRequest.COMPILE_OPTIONS, Set.of("--format")));
        ReportFormat format = ReportFormat.of(arguments, ReportFormat.TEXT, ReportFormat.JSON, ReportFormat.SARIF);
        CompileOptions options = CompileRequest.of(arguments, input).compile();
        Compilation compilation = Capgate.compilation(input.read(file), options);
        List<ReviewFinding> findings = Lint.check(compilation.manifest(), compilation.grants(), compilation.policy());
        switch (format) {
            case TEXT -> print(TextReport.findings(findings, ManifestInput.label(file)));
            case JSON ->
                print(JsonWriter.pretty(JsonValue.members()
                        .put("findings", JsonValue.items(findings, ReviewFinding::toJson))
                        .build()));
            case SARIF -> print(JsonWriter.pretty(Sarif.report(located(findings, file))));
            case MARKDOWN -> throw new IllegalStateException("refused above");
        }
        boolean failed = findings.stream().anyMatch(finding -> finding.severity() == ReviewLevel.ERROR);
        return failed ? CapgateExit.REVIEW : CapgateExit.SUCCESS;
    }

    private CapgateExit diff(Arguments arguments) {
        List<String> files = operands(arguments, 2);
        arguments.allowOnly(union(CompileRequest.COMPILE_OPTIONS, Set.of("--format")));
        ReportFormat format = ReportFormat.of(arguments, ReportFormat.TEXT, ReportFormat.JSON, ReportFormat.SARIF);
        CompileOptions options = CompileRequest.of(arguments, input).compile();
        Compilation before = side(files.getFirst(), options);
        Compilation after = side(files.getLast(), options);
        PolicyDiff diff = PolicyDiff.between(
                new PolicyDiff.Side(before.grants(), before.policy()),
                new PolicyDiff.Side(after.grants(), after.policy()));
        switch (format) {
            case TEXT -> print(TextReport.diff(diff, files.getFirst(), files.getLast()));
            case JSON -> print(JsonWriter.pretty(diff.toJson()));
            case SARIF -> print(JsonWriter.pretty(Sarif.report(located(diff, files.getFirst(), files.getLast()))));
            case MARKDOWN -> throw new IllegalStateException("refused above");
        }
        return diff.comparison().isWider() ? CapgateExit.REVIEW : CapgateExit.SUCCESS;
    }

    /// An error in either file names that file.
    private Compilation side(String file, CompileOptions options) {
        ParsedJson document = input.read(file);
        try {
            return Capgate.compilation(document, options);
        } catch (CompilationError e) {
            err.print("capgate: in " + ManifestInput.label(file) + ":\n");
            throw e;
        }
    }

    private CapgateExit explain(Arguments arguments) {
        String file = operands(arguments, 1).getFirst();
        arguments.allowOnly(union(CompileRequest.COMPILE_OPTIONS, CompileRequest.LOWERING_OPTIONS, Set.of("--format")));
        ReportFormat format = ReportFormat.of(arguments, ReportFormat.TEXT, ReportFormat.JSON, ReportFormat.MARKDOWN);
        CompileRequest request = CompileRequest.of(arguments, input);
        Compilation compilation = Capgate.compilation(input.read(file), request.compile());
        CoverageTable table = CoverageTable.of(compilation.policy(), request.lowering());
        List<String> wanted = wanted(request, table);
        switch (format) {
            case TEXT -> print(TextReport.coverage(table, wanted));
            case MARKDOWN -> print(TextReport.markdown(table, wanted));
            case JSON -> print(JsonWriter.pretty(table.toJson()));
            case SARIF -> throw new IllegalStateException("refused above");
        }
        return CapgateExit.SUCCESS;
    }

    private static List<String> wanted(CompileRequest request, CoverageTable table) {
        if (request.targets().isEmpty()) {
            return table.targets();
        }
        List<String> wanted = new ArrayList<>();
        for (LoweringTarget target : request.targets()) {
            wanted.add(
                    target == LoweringTarget.EGRESS
                            ? request.lowering().egress().word()
                            : target.word());
        }
        return wanted;
    }

    private CapgateExit verify(Arguments arguments) {
        List<String> files = operands(arguments, 2);
        arguments.allowOnly(union(CompileRequest.COMPILE_OPTIONS, CompileRequest.LOWERING_OPTIONS));
        CompileRequest request = CompileRequest.of(arguments, input);
        JsonValue found = input.read(files.getFirst()).root();
        Compilation compilation = Capgate.compilation(input.read(files.getLast()), request.compile());
        List<String> differences = ArtifactCheck.differences(found, compilation, request);
        if (differences.isEmpty()) {
            print("the artifact is what the manifest compiles to");
            return CapgateExit.SUCCESS;
        }
        print("the artifact is not what the manifest compiles to:\n- " + String.join("\n- ", differences));
        return CapgateExit.REVIEW;
    }

    private static LoweringTarget target(CompileRequest request) {
        if (request.targets().size() > 1) {
            throw new Arguments.Misuse("option --target is given twice");
        }
        return request.targets().isEmpty()
                ? LoweringTarget.BWRAP
                : request.targets().getFirst();
    }

    private static List<String> operands(Arguments arguments, int count) {
        List<String> operands = arguments.words().subList(1, arguments.words().size());
        if (operands.size() < count) {
            throw new Arguments.Misuse("'" + arguments.words().getFirst() + "' needs "
                    + (count == 1 ? "a file, or - for standard input" : count + " files"));
        }
        if (operands.size() > count) {
            throw new Arguments.Misuse("unexpected argument '" + operands.get(count) + "'");
        }
        return operands;
    }

    private static List<Sarif.Located> located(List<ReviewFinding> findings, String file) {
        return findings.stream()
                .map(finding -> new Sarif.Located(finding, ManifestInput.label(file)))
                .toList();
    }

    private static List<Sarif.Located> located(PolicyDiff diff, String before, String after) {
        return diff.changes().stream()
                .map(change -> new Sarif.Located(
                        change.finding(), change.direction() == PolicyDiff.Direction.WIDENED ? after : before))
                .toList();
    }

    private void report(CompilationError error, String file) {
        err.print("capgate: " + error.code() + ": " + ManifestText.of(String.valueOf(error.getMessage())) + "\n");
        for (Diagnostic problem : error.problems()) {
            String place = problem.location()
                    .map(found -> ":" + found.line() + ":" + found.column() + ": "
                            + (found.pointer().isEmpty() ? "" : ManifestText.of(found.pointer()) + ": "))
                    .orElse(": ");
            err.print("  " + file + place + problem.code() + ": " + ManifestText.of(problem.text()) + "\n");
        }
    }

    @SafeVarargs
    private static Set<String> union(Set<String>... sets) {
        Set<String> union = new HashSet<>();
        for (Set<String> set : sets) {
            union.addAll(set);
        }
        return union;
    }

    private void print(String text) {
        out.print(text + "\n");
    }
}
