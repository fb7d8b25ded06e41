package dev.capsem.security.condition.compile;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.parser.CelUnparser;
import dev.cel.parser.CelUnparserFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Asks whether a condition says anything of an event that forging the caller does not get around. It is read as a
/// formula over its comparisons. Those that read the event's own fields are its grounds; the guest chooses those that
/// read the caller, and time or chance those that read neither. The condition rests on the caller if, whatever the
/// grounds say, some choice of the others makes it true.
final class Grounds {
    /// Comparisons up to which all cases are tried; beyond, each ground counts as one that may fail.
    private static final int TRIED_MAX = 14;

    private static final Set<String> SUBJECTS = Set.of("http", "dns", "mcp", "model", "process", "file");

    /// A formula: set bits of the assignment are true comparisons.
    private interface Formula {
        boolean holds(long assignment);
    }

    private final CelAbstractSyntaxTree tree;
    private final CelUnparser unparser = CelUnparserFactory.newUnparser();
    private final Map<String, Integer> grounds = new LinkedHashMap<>();
    private final Map<String, Integer> choices = new LinkedHashMap<>();
    private boolean readsCaller;

    Grounds(CelAbstractSyntaxTree tree) {
        this.tree = tree;
    }

    boolean restOnCaller() {
        Formula formula = formula(tree.getExpr());
        if (!readsCaller) {
            return false;
        }
        int atoms = grounds.size() + choices.size();
        return atoms <= TRIED_MAX ? isOpenToAll(formula) : new Widened().isTrue(tree.getExpr(), true);
    }

    private boolean isOpenToAll(Formula formula) {
        for (long said = 0; said < 1L << grounds.size(); said++) {
            if (!isOpen(formula, said)) {
                return false;
            }
        }
        return true;
    }

    private boolean isOpen(Formula formula, long said) {
        for (long chosen = 0; chosen < 1L << choices.size(); chosen++) {
            if (formula.holds(said | chosen << 32)) {
                return true;
            }
        }
        return false;
    }

    private Formula formula(CelExpr expr) {
        if (isTruth(expr)) {
            boolean value = expr.constant().booleanValue();
            return _ -> value;
        }
        if (expr.getKind() != CelExpr.ExprKind.Kind.CALL) {
            return atom(expr);
        }
        CelCall call = expr.call();
        List<CelExpr> args = call.args();
        return switch (call.function()) {
            case "_&&_" -> {
                Formula left = formula(args.get(0));
                Formula right = formula(args.get(1));
                yield at -> left.holds(at) && right.holds(at);
            }
            case "_||_" -> {
                Formula left = formula(args.get(0));
                Formula right = formula(args.get(1));
                yield at -> left.holds(at) || right.holds(at);
            }
            case "!_" -> {
                Formula inner = formula(args.get(0));
                yield at -> !inner.holds(at);
            }
            case "_?_:_" -> {
                Formula asked = formula(args.get(0));
                Formula yes = formula(args.get(1));
                Formula no = formula(args.get(2));
                yield at -> asked.holds(at) ? yes.holds(at) : no.holds(at);
            }
            case "_!=_" -> {
                Formula same = named(text(args.get(0)) + " == " + text(args.get(1)), expr);
                yield at -> !same.holds(at);
            }
            case "_==_" -> named(text(args.get(0)) + " == " + text(args.get(1)), expr);
            default -> atom(expr);
        };
    }

    private Formula atom(CelExpr expr) {
        return named(text(expr), expr);
    }

    private Formula named(String text, CelExpr expr) {
        List<String> roots = new ArrayList<>();
        collectRoots(expr, roots);
        readsCaller |= roots.contains("caller");
        boolean isGround = isGround(expr);
        Map<String, Integer> atoms = isGround ? grounds : choices;
        int index = atoms.computeIfAbsent(text, _ -> atoms.size());
        int bit = isGround ? index : 32 + index;
        return at -> (at >> bit & 1) != 0;
    }

    private static boolean isGround(CelExpr expr) {
        List<String> roots = new ArrayList<>();
        collectRoots(expr, roots);
        return !roots.contains("caller") && roots.stream().anyMatch(SUBJECTS::contains);
    }

    private static boolean isTruth(CelExpr expr) {
        return expr.getKind() == CelExpr.ExprKind.Kind.CONSTANT
                && expr.constant().getKind() == CelConstant.Kind.BOOLEAN_VALUE;
    }

    private String text(CelExpr expr) {
        return unparser.unparse(CelAbstractSyntaxTree.newParsedAst(expr, tree.getSource()));
    }

    private static void collectRoots(CelExpr expr, List<String> roots) {
        switch (expr.getKind()) {
            case IDENT -> roots.add(expr.ident().name());
            case SELECT -> collectRoots(expr.select().operand(), roots);
            case CALL -> {
                expr.call().target().ifPresent(target -> collectRoots(target, roots));
                expr.call().args().forEach(argument -> collectRoots(argument, roots));
            }
            case LIST -> expr.list().elements().forEach(element -> collectRoots(element, roots));
            case MAP ->
                expr.map().entries().forEach(entry -> {
                    collectRoots(entry.key(), roots);
                    collectRoots(entry.value(), roots);
                });
            case COMPREHENSION -> {
                collectRoots(expr.comprehension().iterRange(), roots);
                collectRoots(expr.comprehension().loopStep(), roots);
                collectRoots(expr.comprehension().loopCondition(), roots);
                collectRoots(expr.comprehension().result(), roots);
            }
            case CONSTANT, STRUCT, NOT_SET -> {}
        }
    }

    /// For long conditions: every comparison that is no ground is taken for what helps most, and a ground for what
    /// does not.
    private static final class Widened {
        boolean isTrue(CelExpr expr, boolean wanted) {
            if (isTruth(expr)) {
                return expr.constant().booleanValue() == wanted;
            }
            if (expr.getKind() == CelExpr.ExprKind.Kind.CALL) {
                CelCall call = expr.call();
                List<CelExpr> args = call.args();
                switch (call.function()) {
                    case "!_" -> {
                        return isTrue(args.get(0), !wanted);
                    }
                    case "_&&_", "_||_" -> {
                        boolean all = call.function().equals("_&&_") == wanted;
                        return all
                                ? isTrue(args.get(0), wanted) && isTrue(args.get(1), wanted)
                                : isTrue(args.get(0), wanted) || isTrue(args.get(1), wanted);
                    }
                    default -> {}
                }
            }
            return !isGround(expr);
        }
    }
}
