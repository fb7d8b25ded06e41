package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.security.RuleCompiler;
import dev.capsem.security.SecurityEngine;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.List;

/// The Security Engine as the service wires it to profiles.
public final class Engine {
    private static final RuleCompiler COMPILER = new RuleCompiler();

    private Engine() {}

    static RuleCompiler.Result compile(List<SourceText> sources) {
        return COMPILER.compile(sources);
    }

    public static SecurityEngine of(List<SourceText> sources) {
        RuleCompiler.Result result = compile(sources);
        assertThat(result).isInstanceOf(RuleCompiler.Result.Compiled.class);
        return new SecurityEngine(((RuleCompiler.Result.Compiled) result).snapshot());
    }

    static List<String> problems(List<SourceText> sources) {
        return compile(sources) instanceof RuleCompiler.Result.Rejected rejected
                ? rejected.problems().stream().map(Problem::toString).toList()
                : List.of();
    }
}
