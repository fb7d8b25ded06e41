package dev.capsem.security;

import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Whatever the text, compiling answers, and each problem has a place in that text. The Jazzer command line drives it:
/// `jazzer --cp=<test class path> --target_class=dev.capsem.security.RuleCompilerFuzz`. `RuleCompilerFuzzTest` runs it
/// for a moment with every build.
public final class RuleCompilerFuzz {
    private static final RuleCompiler COMPILER = new RuleCompiler();

    private RuleCompilerFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String text = new String(data, StandardCharsets.UTF_8);
        check(text, COMPILER.compile(List.of(new SourceText("fuzz", Layer.USER, text))));
        check(text, COMPILER.compile(List.of(), List.of(new DetectionSource("fuzz", "fuzz", text))));
    }

    private static void check(String text, RuleCompiler.Result result) {
        List<Problem> problems = switch (result) {
            case RuleCompiler.Result.Compiled compiled -> compiled.warnings();
            case RuleCompiler.Result.Rejected rejected -> rejected.problems();
        };
        if (result instanceof RuleCompiler.Result.Rejected && problems.stream().noneMatch(Problem::isError)) {
            throw new AssertionError("rejected without an error");
        }
        // One more than there are line ends, and the line behind the last.
        long linesMax = text.chars().filter(c -> c == '\n' || c == '\r').count() + 2;
        for (Problem problem : problems) {
            boolean isPlaced = problem.place().file().equals("fuzz")
                    && problem.place().line() >= 1
                    && problem.place().line() <= linesMax
                    && problem.place().column() >= 1;
            if (!isPlaced || problem.message().isBlank()) {
                throw new AssertionError("a problem without its place: " + problem);
            }
        }
    }
}
