package dev.capsem.security.condition.compile;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Group;
import dev.capsem.security.schema.Schema;
import dev.capsem.source.Suggestion;
import dev.cel.common.ast.CelExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The paths of an expression against the schema.
final class Paths {
    /// A chain of names from a root, such as `mcp.request.arguments.repo`.
    ///
    /// @param ids of the expression that ends at each segment
    record Chain(List<String> names, List<Long> ids) {
        String upTo(int count) {
            return String.join(".", names.subList(0, count));
        }
    }

    private static final Schema SCHEMA = Schema.standard();

    private Paths() {}

    /// The chain that this expression is, if it is one; `bound` are names of loop variables, which are no roots.
    static Optional<Chain> chain(CelExpr expr, Set<String> bound) {
        List<String> names = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        CelExpr at = expr;
        while (at.getKind() == CelExpr.ExprKind.Kind.SELECT) {
            names.addFirst(at.select().field());
            ids.addFirst(at.id());
            at = at.select().operand();
        }
        if (at.getKind() != CelExpr.ExprKind.Kind.IDENT
                || bound.contains(at.ident().name())) {
            return Optional.empty();
        }
        names.addFirst(at.ident().name());
        ids.addFirst(at.id());
        return Optional.of(new Chain(names, ids));
    }

    /// The field that the chain reads, or reads from: `mcp.request.arguments` for `mcp.request.arguments.repo`.
    static Optional<Field> field(Chain chain) {
        for (int count = chain.names().size(); count > 0; count--) {
            Optional<Field> field = SCHEMA.field(chain.upTo(count));
            if (field.isPresent()) {
                return field;
            }
        }
        return Optional.empty();
    }

    static Optional<Group> group(Chain chain) {
        return SCHEMA.group(chain.upTo(chain.names().size()));
    }

    /// The problem with the chain in a condition on that event, if there is one.
    static Optional<ConditionProblem> problem(Chain chain, EventType on, Positions positions) {
        String root = chain.names().get(0);
        if (root.equals("event")) {
            return Optional.of(new ConditionProblem(
                    positions.of(chain.ids().get(0)),
                    "event.* is internal and not for rules. Use the canonical roots: " + roots() + "."));
        }
        String path = "";
        for (int i = 0; i < chain.names().size(); i++) {
            Group group = SCHEMA.group(path).orElseThrow();
            String name = chain.names().get(i);
            String next = path.isEmpty() ? name : path + "." + name;
            if (!group.members().contains(name)) {
                return Optional.of(new ConditionProblem(positions.of(chain.ids().get(i)), unknown(group, name)));
            }
            Optional<Field> field = SCHEMA.field(next);
            if (field.isPresent()) {
                return field.filter(known -> !known.at().contains(on))
                        .map(known ->
                                new ConditionProblem(positions.of(chain.ids().get(0)), unavailable(known, on)));
            }
            path = next;
        }
        return Optional.empty();
    }

    private static String unknown(Group group, String name) {
        if (group.path().isEmpty()) {
            return "unknown root " + name + "." + Suggestion.didYouMean(name, group.members()) + " Roots are " + roots()
                    + ".";
        }
        String written = group.path() + "." + name;
        String hint = Suggestion.nearest(name, group.members())
                .map(member -> group.path() + "." + member)
                .or(() -> SCHEMA.fields().stream()
                        .map(Field::path)
                        .filter(path -> path.endsWith("." + name))
                        .findFirst())
                .map(path -> " Did you mean " + path + "?")
                .orElseGet(
                        () -> " " + group.path() + " has " + String.join(", ", new TreeSet<>(group.members())) + ".");
        return "unknown field " + written + "." + hint;
    }

    private static String unavailable(Field field, EventType on) {
        String where = field.at().stream()
                .map(type -> "\"" + type.wireName() + "\"")
                .sorted()
                .collect(Collectors.joining(" or "));
        return field.path() + " is not known at " + on.wireName() + "; it is at on = " + where + ".";
    }

    private static String roots() {
        return String.join(", ", new TreeSet<>(SCHEMA.group("").orElseThrow().members()));
    }
}
