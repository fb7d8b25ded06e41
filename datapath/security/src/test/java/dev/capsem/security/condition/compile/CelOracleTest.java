package dev.capsem.security.condition.compile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.JsonNull;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.Events;
import dev.capsem.security.condition.Condition;
import dev.capsem.security.condition.EvaluationFailure;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Match;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.NullValue;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Where all values are present, our evaluation and CEL's own runtime must agree; where CEL reports an error,
/// we must not match.
class CelOracleTest {
    private static final int ROUNDS = Integer.getInteger("oracle.rounds", 300);
    private static final String DATA = """
            {"i": 3, "j": -7, "z": 0, "d": 2.5, "e": 3.0, "s": "abc", "t": "", "u": "äb\\uD83D\\uDE00", "b": true,
             "l": [1, 2, 3], "m": {"k": "v", "n": 1}, "ls": ["x", "abc"], "nil": null}
            """;
    private static final List<String> VALUES = List.of(
            "a.i",
            "a.j",
            "a.z",
            "a.d",
            "a.e",
            "a.s",
            "a.t",
            "a.u",
            "a.b",
            "a.l",
            "a.m",
            "a.ls",
            "a.nil",
            "a.none",
            "a.m.k",
            "a.l[1]",
            "a.l[9]",
            "\"abc\"",
            "\"\"",
            "\"k\"",
            "3",
            "-7",
            "0",
            "2.5",
            "3.0",
            "true",
            "null",
            "[1, 2, 3]",
            "[\"x\", \"abc\"]",
            "{\"k\": \"v\"}",
            "a.m[\"k\"]",
            "size(a.l)",
            "size(a.u)",
            "-a.i",
            "a.l.map(v, v * 2)",
            "a.l.filter(v, v > 1)",
            "a.i + 1",
            "a.d * 2.0",
            "a.s + \"d\"",
            "a.l + [4]");
    /// On structures our `contains` and `matches` look for texts inside, where CEL reports an error.
    private static final List<String> SCALARS =
            List.of("a.i", "a.d", "a.s", "a.t", "a.u", "a.b", "a.nil", "a.none", "a.m.k", "\"xabcx\"", "\"\"", "3");

    private static final List<String> OPERATORS = List.of("==", "!=", "<", "<=", ">", ">=", "in");
    private static final List<String> ARITHMETIC = List.of("+", "-", "*", "/", "%");
    private static final List<String> CALLS = List.of("contains", "startsWith", "endsWith");

    private static final CelOptions OPTIONS =
            CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
    private static final CelCompiler CEL = CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar("a", SimpleType.DYN)
            .build();
    private static final CelRuntime RUNTIME =
            CelRuntimeFactory.plannerRuntimeBuilder().setOptions(OPTIONS).build();
    private static final ConditionCompiler OURS = new ConditionCompiler();

    @Test
    void agreesWithCelOnGeneratedExpressions() throws CelValidationException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Object data = nulls(JsonDocument.parse(DATA).orElseThrow().root());
        int compared = 0;
        int matched = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String text = "(" + expression(random, 3) + ") == true";
            ConditionCompiler.Result result =
                    OURS.compile(text.replaceAll("\\ba\\.", "mcp.request.arguments."), EventType.MCP_REQUEST);
            boolean accepted = !CEL.compile(text).hasError();
            assertThat(result instanceof ConditionCompiler.Result.Compiled)
                    .as("seed %d: accepted as CEL does: %s: %s", seed, text, result)
                    .isEqualTo(accepted);
            if (!(result instanceof ConditionCompiler.Result.Compiled compiled)) {
                continue;
            }
            boolean theirs = theirs(text, data);
            boolean ours;
            try {
                ours = ours(compiled.condition());
            } catch (EvaluationFailure failure) {
                // A division by zero blocks the event, even where CEL would find that the other side decides.
                continue;
            }

            assertThat(ours).as("seed %d: %s", seed, text).isEqualTo(theirs);
            compared++;
            matched += ours ? 1 : 0;
        }
        assertThat(compared).isGreaterThan(ROUNDS / 8);
        assertThat(matched).isGreaterThan(ROUNDS / 80);
    }

    private static boolean ours(Condition condition) {
        return condition.match(new Frame(Events.mcp("s", "t", DATA))) == Match.YES;
    }

    private static boolean theirs(String text, Object data) throws CelValidationException {
        CelAbstractSyntaxTree tree = CEL.compile(text).getAst();
        try {
            return Boolean.TRUE.equals(RUNTIME.createProgram(tree).eval(Map.of("a", data)));
        } catch (CelEvaluationException error) {
            return false;
        }
    }

    /// CEL has its own null.
    private static Object nulls(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                Map<Object, Object> copy = new LinkedHashMap<>();
                map.forEach((key, member) -> copy.put(key, nulls(member)));
                yield copy;
            }
            case List<?> list -> list.stream().map(CelOracleTest::nulls).toList();
            case JsonNull _ -> NullValue.NULL_VALUE;
            default -> value;
        };
    }

    private static String expression(Random random, int depth) {
        if (depth == 0) {
            return comparison(random);
        }
        return switch (random.nextInt(8)) {
            case 0 -> "!(" + expression(random, depth - 1) + ")";
            case 1 -> "(" + expression(random, depth - 1) + " && " + expression(random, depth - 1) + ")";
            case 2 -> "(" + expression(random, depth - 1) + " || " + expression(random, depth - 1) + ")";
            case 3 ->
                "(" + comparison(random) + " ? " + expression(random, depth - 1) + " : " + expression(random, depth - 1)
                        + ")";
            case 4 -> "a.l.exists(v, v == " + pick(random, VALUES) + ")";
            case 5 -> "a.ls.all(v, v." + pick(random, CALLS) + "(" + pick(random, VALUES) + "))";
            case 6 -> "a.l.exists_one(v, v > " + pick(random, VALUES) + ")";
            default -> comparison(random);
        };
    }

    private static String comparison(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> "dyn(" + pick(random, SCALARS) + ")." + pick(random, CALLS) + "(a.s)";
            case 1 -> "a.s.matches(\"" + pick(random, List.of("^a", "b", "c$", "^$", "x|b", "[a-c]+")) + "\")";
            case 2 -> "has(a." + pick(random, List.of("i", "none", "nil", "m")) + ")";
            case 3 ->
                "dyn(" + pick(random, VALUES) + ") " + pick(random, ARITHMETIC) + " dyn(" + pick(random, VALUES)
                        + ") == dyn(" + pick(random, VALUES) + ")";
            default ->
                "dyn(" + pick(random, VALUES) + ") " + pick(random, OPERATORS) + " dyn(" + pick(random, VALUES) + ")";
        };
    }

    private static String pick(Random random, List<String> from) {
        return from.get(random.nextInt(from.size()));
    }
}
