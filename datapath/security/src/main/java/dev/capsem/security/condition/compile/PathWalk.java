package dev.capsem.security.condition.compile;

import dev.capsem.events.vocabulary.EventType;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelComprehension;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Checks every path of a parsed condition against the schema, before types are looked at: our messages know
/// the schema, CEL's do not.
final class PathWalk {
    private final EventType on;
    private final Positions positions;
    private final List<ConditionProblem> problems = new ArrayList<>();

    PathWalk(EventType on, Positions positions) {
        this.on = on;
        this.positions = positions;
    }

    List<ConditionProblem> problems(CelExpr root) {
        walk(root, Set.of());
        return problems;
    }

    private void walk(CelExpr expr, Set<String> bound) {
        Optional<Paths.Chain> chain = Paths.chain(expr, bound);
        if (chain.isPresent()) {
            Paths.problem(chain.get(), on, positions).ifPresent(problems::add);
            return;
        }
        switch (expr.getKind()) {
            case SELECT -> walk(expr.select().operand(), bound);
            case CALL -> {
                expr.call().target().ifPresent(target -> walk(target, bound));
                expr.call().args().forEach(argument -> walk(argument, bound));
            }
            case LIST -> expr.list().elements().forEach(element -> walk(element, bound));
            case MAP ->
                expr.map().entries().forEach(entry -> {
                    walk(entry.key(), bound);
                    walk(entry.value(), bound);
                });
            case COMPREHENSION -> walk(expr.comprehension(), bound);
            case STRUCT ->
                problems.add(new ConditionProblem(positions.of(expr.id()), "a condition cannot construct messages."));
            case CONSTANT, IDENT, NOT_SET -> {}
        }
    }

    private void walk(CelComprehension loop, Set<String> bound) {
        walk(loop.iterRange(), bound);
        Set<String> inside = new HashSet<>(bound);
        inside.add(loop.iterVar());
        inside.add(loop.iterVar2());
        inside.add(loop.accuVar());
        walk(loop.loopCondition(), inside);
        walk(loop.loopStep(), inside);
        walk(loop.result(), inside);
    }
}
