package dev.capsem.security.condition.compile;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.condition.Condition;
import dev.capsem.security.condition.Node;
import dev.capsem.security.schema.Group;
import dev.capsem.security.schema.Schema;
import dev.capsem.source.Suggestion;
import dev.cel.checker.CelStandardDeclarations;
import dev.cel.checker.CelStandardDeclarations.StandardFunction;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Turns the text of a condition into a [Condition], or into all that is wrong with it. Never throws on any text.
public final class ConditionCompiler {
    /// Longer conditions should be several rules.
    public static final int CHARS_MAX = 8_192;

    private static final int NODES_MAX = 2_000;
    private static final int NESTING_MAX = 100;

    /// CEL's functions that make sense on what the schema holds: no bytes, timestamps, durations or
    /// unsigned numbers.
    private static final List<StandardFunction> FUNCTIONS = List.of(
            StandardFunction.IN,
            StandardFunction.NOT_STRICTLY_FALSE,
            StandardFunction.CONDITIONAL,
            StandardFunction.LOGICAL_NOT,
            StandardFunction.LOGICAL_OR,
            StandardFunction.LOGICAL_AND,
            StandardFunction.EQUALS,
            StandardFunction.NOT_EQUALS,
            StandardFunction.ADD,
            StandardFunction.SUBTRACT,
            StandardFunction.MULTIPLY,
            StandardFunction.DIVIDE,
            StandardFunction.MODULO,
            StandardFunction.NEGATE,
            StandardFunction.INDEX,
            StandardFunction.SIZE,
            StandardFunction.INT,
            StandardFunction.DOUBLE,
            StandardFunction.STRING,
            StandardFunction.DYN,
            StandardFunction.MATCHES,
            StandardFunction.CONTAINS,
            StandardFunction.ENDS_WITH,
            StandardFunction.STARTS_WITH,
            StandardFunction.LESS,
            StandardFunction.LESS_EQUALS,
            StandardFunction.GREATER,
            StandardFunction.GREATER_EQUALS);

    private static final Set<String> CALLABLE = Set.of(
            "header",
            "rate",
            "list",
            "exists",
            "exists_one",
            "all",
            "filter",
            "map",
            "has",
            "contains",
            "startsWith",
            "endsWith",
            "matches",
            "size",
            "int",
            "double",
            "string",
            "lowerAscii",
            "upperAscii");

    private static final Pattern NO_OVERLOAD = Pattern.compile(
            "found no matching overload for '(.+?)' applied to '(.*?)'(?: \\(candidates.*)?", Pattern.DOTALL);
    private static final Pattern UNDECLARED = Pattern.compile("undeclared reference to '(.+?)'.*", Pattern.DOTALL);
    private static final Pattern WRONG_TYPE =
            Pattern.compile("expected type '(.+?)' but found '(.+?)'.*", Pattern.DOTALL);

    private static final Pattern UNEXPECTED =
            Pattern.compile("(?:mismatched|extraneous) input '(.+?)' expecting.*", Pattern.DOTALL);

    private final CelCompiler cel;

    /// The result of compiling.
    public sealed interface Result {
        record Compiled(Condition condition) implements Result {}

        record Refused(List<ConditionProblem> problems) implements Result {
            public Refused {
                problems = List.copyOf(problems);
            }
        }
    }

    public ConditionCompiler() {
        this.cel = environment().build();
    }

    /// CEL with our schema declared; the test that compares us with CEL's own runtime builds on it too.
    static CelCompilerBuilder environment() {
        Schema schema = Schema.standard();
        CelCompilerBuilder builder = CelCompilerFactory.standardCelCompilerBuilder()
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(CelStandardDeclarations.newBuilder()
                        .includeFunctions(FUNCTIONS)
                        .build())
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setOptions(CelOptions.current()
                        .maxExpressionCodePointSize(CHARS_MAX)
                        .maxParseExpressionNodeCount(NODES_MAX)
                        .maxParseRecursionDepth(NESTING_MAX)
                        .populateMacroCalls(true)
                        .enableHeterogeneousNumericComparisons(true)
                        .build())
                .setTypeProvider(new SchemaTypes(schema))
                .setResultType(SimpleType.BOOL)
                .addFunctionDeclarations(
                        CelFunctionDecl.newFunctionDeclaration(
                                "header", header(schema, "http.request"), header(schema, "http.response")),
                        CelFunctionDecl.newFunctionDeclaration(
                                "exists",
                                CelOverloadDecl.newMemberOverload(
                                        "value_exists", SimpleType.BOOL, TypeParamType.create("T"))),
                        CelFunctionDecl.newFunctionDeclaration(
                                "rate",
                                CelOverloadDecl.newGlobalOverload(
                                        "rate_of_key", SimpleType.INT, SimpleType.STRING, SimpleType.STRING)),
                        CelFunctionDecl.newFunctionDeclaration(
                                "list",
                                CelOverloadDecl.newGlobalOverload(
                                        "list_of_file", ListType.create(SimpleType.STRING), SimpleType.STRING)),
                        text("lowerAscii"),
                        text("upperAscii"));
        Group roots = schema.group("").orElseThrow();
        for (String root : roots.members()) {
            builder.addVar(root, schema.group(root).orElseThrow().type());
        }
        return builder;
    }

    private static CelOverloadDecl header(Schema schema, String group) {
        return CelOverloadDecl.newMemberOverload(
                group.replace('.', '_') + "_header",
                SimpleType.STRING,
                schema.group(group).orElseThrow().type(),
                SimpleType.STRING);
    }

    private static CelFunctionDecl text(String name) {
        return CelFunctionDecl.newFunctionDeclaration(
                name, CelOverloadDecl.newMemberOverload("string_" + name, SimpleType.STRING, SimpleType.STRING));
    }

    public Result compile(String text, EventType on) {
        return compile(text, on, ConditionScope.PLAIN);
    }

    public Result compile(String text, EventType on, ConditionScope setting) {
        try {
            return compileChecked(text, on, setting);
        } catch (CelValidationException | RuntimeException unforeseen) {
            return refused(
                    0,
                    "the condition cannot be compiled: " + unforeseen.getClass().getSimpleName());
        }
    }

    private Result compileChecked(String text, EventType on, ConditionScope setting) throws CelValidationException {
        if (text.length() > CHARS_MAX) {
            return refused(0, "the condition is longer than " + CHARS_MAX + " characters; split it into several rules");
        }
        CelValidationResult parsed = cel.parse(text);
        if (parsed.hasError()) {
            return new Result.Refused(problems(parsed));
        }
        CelAbstractSyntaxTree tree = parsed.getAst();
        Positions positions = new Positions(tree.getSource());
        List<ConditionProblem> paths = new PathWalk(on, positions).problems(tree.getExpr());
        if (!paths.isEmpty()) {
            return new Result.Refused(paths);
        }
        CelValidationResult checked = cel.check(tree);
        if (checked.hasError()) {
            return new Result.Refused(problems(checked));
        }
        Lowering lowering = new Lowering(checked.getAst(), on, setting);
        Node node = lowering.lower();
        return lowering.problems().isEmpty()
                ? new Result.Compiled(Analysis.condition(text, checked.getAst(), node, lowering, setting))
                : new Result.Refused(lowering.problems());
    }

    private static Result refused(int offset, String message) {
        return new Result.Refused(List.of(new ConditionProblem(offset, message)));
    }

    private static List<ConditionProblem> problems(CelValidationResult result) {
        Positions positions = new Positions(result.getSource());
        List<ConditionProblem> problems = new ArrayList<>();
        for (CelIssue issue : result.getErrors()) {
            problems.add(new ConditionProblem(positions.of(issue.getSourceLocation()), plain(issue.getMessage())));
        }
        return problems;
    }

    /// CEL's messages in the words of someone who writes rules.
    private static String plain(String message) {
        Matcher overload = NO_OVERLOAD.matcher(message);
        if (overload.matches()) {
            return "wrong type: " + operator(overload.group(1)) + " does not take "
                    + overload.group(2).replace("capsem.", "") + ".";
        }
        Matcher undeclared = UNDECLARED.matcher(message);
        if (undeclared.matches()) {
            String name = undeclared.group(1);
            return "unknown function " + name + "." + Suggestion.didYouMean(name, new TreeSet<>(CALLABLE));
        }
        Matcher type = WRONG_TYPE.matcher(message);
        if (type.matches()) {
            return "wrong type: this is a " + type.group(2) + ", and a " + type.group(1) + " is needed here.";
        }
        Matcher unexpected = UNEXPECTED.matcher(message);
        if (unexpected.matches()) {
            return unexpected.group(1).equals("<EOF>")
                    ? "the condition ends too early."
                    : "unexpected " + unexpected.group(1) + ".";
        }
        return message.strip();
    }

    private static String operator(String function) {
        String bare = function.replace("_", "").replace("@", "");
        return bare.isEmpty() || Character.isLetter(function.charAt(0)) ? function : bare;
    }

    /// Our struct types by name, for the checker.
    private static final class SchemaTypes implements CelTypeProvider {
        private final ImmutableMap<String, CelType> byName;

        SchemaTypes(Schema schema) {
            ImmutableMap.Builder<String, CelType> types = ImmutableMap.builder();
            schema.elementTypes().forEach(type -> types.put(type.name(), type));
            schema.groups().forEach(group -> types.put(group.type().name(), group.type()));
            this.byName = types.buildOrThrow();
        }

        @Override
        public ImmutableCollection<CelType> types() {
            return byName.values();
        }

        @Override
        public Optional<CelType> findType(String name) {
            return Optional.ofNullable(byName.get(name));
        }
    }
}
