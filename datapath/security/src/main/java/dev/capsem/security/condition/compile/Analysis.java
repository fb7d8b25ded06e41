package dev.capsem.security.condition.compile;

import dev.capsem.security.condition.Condition;
import dev.capsem.security.condition.Key;
import dev.capsem.security.condition.Meter;
import dev.capsem.security.condition.Node;
import dev.capsem.security.condition.Term;
import dev.capsem.security.schema.Field;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.parser.CelUnparser;
import dev.cel.parser.CelUnparserFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Properties of a condition that need no event: its terms, the keys an index may use, what can be left
/// out to escape it.
final class Analysis {
    /// The fields worth an index, the most telling first: rules mostly name one of them.
    private static final Map<String, Integer> INDEXED = Map.of(
            "http.request.host", 0,
            "dns.request.qname", 0,
            "mcp.request.namespaced_name", 0,
            "mcp.request.tool_name", 1,
            "model.request.model", 1,
            "process.exec.executable", 1,
            "mcp.request.server_name", 2,
            "model.request.provider", 2,
            "file.activity.path", 2,
            "http.request.path", 3);

    private static final Set<String> COMPARISONS =
            Set.of("_==_", "_<_", "_<=_", "_>_", "_>=_", "@in", "contains", "startsWith", "endsWith", "matches");

    private final CelAbstractSyntaxTree tree;
    private final CelUnparser unparser = CelUnparserFactory.newUnparser();
    private final Set<String> tested = new TreeSet<>();
    private final Set<String> escapes = new TreeSet<>();

    private Analysis(CelAbstractSyntaxTree tree) {
        this.tree = tree;
    }

    static Condition condition(
            String text, CelAbstractSyntaxTree tree, Node node, Lowering lowering, ConditionScope setting) {
        Set<Field> reads = lowering.takeReads();
        Set<Meter> meters = Set.copyOf(lowering.meters());
        Analysis analysis = new Analysis(tree);
        List<Term> terms = new ArrayList<>();
        for (CelExpr conjunct : conjuncts(tree.getExpr())) {
            Node part = lowering.node(conjunct);
            terms.add(new Term(analysis.text(conjunct), part, List.copyOf(lowering.takeReads())));
        }
        analysis.omissions(tree.getExpr(), true);
        analysis.escapes.removeAll(analysis.tested);
        return new Condition(
                text,
                node,
                terms,
                new Condition.Facts(
                        reads,
                        keys(tree.getExpr(), setting),
                        analysis.escapes,
                        meters,
                        new Grounds(tree).restOnCaller()));
    }

    private String text(CelExpr expr) {
        return unparser.unparse(CelAbstractSyntaxTree.newParsedAst(expr, tree.getSource()));
    }

    private static List<CelExpr> conjuncts(CelExpr expr) {
        if (isCall(expr, "_&&_")) {
            List<CelExpr> all = new ArrayList<>(conjuncts(expr.call().args().get(0)));
            all.addAll(conjuncts(expr.call().args().get(1)));
            return all;
        }
        return List.of(expr);
    }

    private static boolean isCall(CelExpr expr, String function) {
        return expr.getKind() == CelExpr.ExprKind.Kind.CALL
                && expr.call().function().equals(function);
    }

    /// A condition that is true has each side of `&&` true and one side of `||`: so `&&` may offer either
    /// side's keys, the better ones, and `||` must offer both.
    private static Optional<List<Key>> keys(CelExpr expr, ConditionScope setting) {
        if (expr.getKind() != CelExpr.ExprKind.Kind.CALL) {
            return Optional.empty();
        }
        CelCall call = expr.call();
        return switch (call.function()) {
            case "_&&_" -> {
                Optional<List<Key>> left = keys(call.args().get(0), setting);
                Optional<List<Key>> right = keys(call.args().get(1), setting);
                yield left.isPresent() && right.isPresent()
                        ? Optional.of(cost(left.get()) <= cost(right.get()) ? left.get() : right.get())
                        : left.or(() -> right);
            }
            case "_||_" -> {
                Optional<List<Key>> left = keys(call.args().get(0), setting);
                Optional<List<Key>> right = keys(call.args().get(1), setting);
                if (left.isEmpty() || right.isEmpty()) {
                    yield Optional.empty();
                }
                List<Key> both = new ArrayList<>(left.get());
                both.addAll(right.get());
                yield Optional.of(both);
            }
            case "_==_" ->
                key(call.args().get(0), Key.Kind.EQUALS, call.args().get(1))
                        .or(() -> key(
                                call.args().get(1), Key.Kind.EQUALS, call.args().get(0)));
            case "startsWith" ->
                key(
                        call.target().orElseThrow(),
                        Key.Kind.STARTS_WITH,
                        call.args().get(0));
            case "endsWith" ->
                key(call.target().orElseThrow(), Key.Kind.ENDS_WITH, call.args().get(0));
            case "@in" -> membership(call.args().get(0), call.args().get(1), setting);
            default -> Optional.empty();
        };
    }

    private static Optional<List<Key>> key(CelExpr subject, Key.Kind kind, CelExpr constant) {
        return indexed(subject)
                .filter(_ -> isString(constant))
                .map(field -> List.of(new Key(field, kind, constant.constant().stringValue())));
    }

    private static Optional<List<Key>> membership(CelExpr subject, CelExpr list, ConditionScope setting) {
        Optional<Field> field = indexed(subject);
        if (field.isPresent()
                && isCall(list, "list")
                && isString(list.call().args().get(0))) {
            return Optional.ofNullable(setting.lists()
                            .get(list.call().args().get(0).constant().stringValue()))
                    .map(entries -> entries.stream()
                            .map(entry -> new Key(field.get(), Key.Kind.EQUALS, entry))
                            .toList());
        }
        boolean constants = list.getKind() == CelExpr.ExprKind.Kind.LIST
                && list.list().elements().stream().allMatch(Analysis::isString);
        if (field.isEmpty() || !constants) {
            return Optional.empty();
        }
        return Optional.of(list.list().elements().stream()
                .map(element ->
                        new Key(field.get(), Key.Kind.EQUALS, element.constant().stringValue()))
                .toList());
    }

    private static Optional<Field> indexed(CelExpr subject) {
        return Paths.chain(subject, Set.of())
                .flatMap(chain -> Paths.field(chain)
                        .filter(field ->
                                field.path().equals(chain.upTo(chain.names().size()))))
                .filter(field -> INDEXED.containsKey(field.path()));
    }

    private static boolean isString(CelExpr expr) {
        return expr.getKind() == CelExpr.ExprKind.Kind.CONSTANT
                && expr.constant().getKind() == CelConstant.Kind.STRING_VALUE;
    }

    /// By the least telling key: a rule is looked at whenever any of its keys fits.
    private static int cost(List<Key> keys) {
        return keys.stream()
                .map(key -> key.kind().cost() + INDEXED.getOrDefault(key.field().path(), 9))
                .max(Comparator.naturalOrder())
                .orElse(0);
    }

    /// Finds comparisons that an unusual value would make true in the end, while leaving the value out makes the
    /// whole condition not match. `holds` says whether the expression being true helps the condition to match.
    private void omissions(CelExpr expr, boolean holds) {
        if (expr.getKind() == CelExpr.ExprKind.Kind.SELECT && expr.select().testOnly()) {
            tested.add(text(expr.select().operand()) + "." + expr.select().field());
            return;
        }
        if (expr.getKind() == CelExpr.ExprKind.Kind.COMPREHENSION) {
            return;
        }
        if (expr.getKind() != CelExpr.ExprKind.Kind.CALL) {
            return;
        }
        CelCall call = expr.call();
        String function = call.function();
        if (function.equals("exists")) {
            tested.add(text(call.target().orElseThrow()));
        } else if (function.equals("!_")) {
            omissions(call.args().get(0), !holds);
        } else if (function.equals("_!=_")) {
            escapesIf(holds, call);
        } else if (COMPARISONS.contains(function)) {
            escapesIf(!holds, call);
        } else {
            call.args().forEach(argument -> omissions(argument, holds));
        }
    }

    private void escapesIf(boolean escapable, CelCall call) {
        if (!escapable) {
            return;
        }
        List<CelExpr> operands = new ArrayList<>(call.args());
        call.target().ifPresent(operands::add);
        operands.forEach(this::addOmittable);
    }

    /// The value, wherever it stands inside the operand (`size(x)`, `x.lowerAscii()`).
    private void addOmittable(CelExpr operand) {
        boolean header = isCall(operand, "header");
        Optional<Paths.Chain> chain = Paths.chain(operand, Set.of());
        if (header || chain.flatMap(Paths::field).filter(Field::isOmittable).isPresent()) {
            escapes.add(text(operand));
            return;
        }
        if (chain.isEmpty() && operand.getKind() == CelExpr.ExprKind.Kind.CALL) {
            operand.call().target().ifPresent(this::addOmittable);
            operand.call().args().forEach(this::addOmittable);
        }
        if (chain.isEmpty() && operand.getKind() == CelExpr.ExprKind.Kind.SELECT) {
            addOmittable(operand.select().operand());
        }
    }
}
