package dev.capsem.security.condition.compile;

import dev.capsem.events.security.JsonNull;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Meter;
import dev.capsem.security.condition.Node;
import dev.capsem.security.condition.Operators;
import dev.capsem.security.condition.Truth;
import dev.capsem.security.condition.Values;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Group;
import dev.capsem.security.schema.Schema;
import dev.capsem.security.schema.Unknown;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.CelComprehension;
import dev.cel.common.types.CelKind;
import dev.cel.parser.CelUnparserFactory;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A checked CEL tree as nodes over events. Values that are missing or not readable travel as [Unknown].
final class Lowering {
    private static final Node TRUE = (Node.Test) _ -> Truth.TRUE;
    private static final Set<String> ARGUMENTS = Set.of("mcp.request.arguments", "mcp.request.arguments_text");

    private final CelAbstractSyntaxTree tree;
    private final Positions positions;
    private final List<ConditionProblem> problems = new ArrayList<>();
    private final Map<String, Integer> slots = new HashMap<>();
    private final Set<Field> reads = new LinkedHashSet<>();
    private final Set<Meter> meters = new LinkedHashSet<>();
    private final EventType on;
    private final ConditionScope setting;
    private int depth;

    Lowering(CelAbstractSyntaxTree tree, EventType on, ConditionScope setting) {
        this.tree = tree;
        this.on = on;
        this.setting = setting;
        this.positions = new Positions(tree.getSource());
    }

    Node lower() {
        return node(tree.getExpr());
    }

    List<ConditionProblem> problems() {
        return problems;
    }

    /// The fields that the nodes lowered since the last call read.
    Set<Field> takeReads() {
        Set<Field> taken = new LinkedHashSet<>(reads);
        reads.clear();
        return taken;
    }

    Node node(CelExpr expr) {
        return switch (expr.getKind()) {
            case CONSTANT -> constant(expr);
            case IDENT, SELECT -> path(expr);
            case CALL -> call(expr, expr.call());
            case LIST -> list(expr.list().elements());
            case MAP -> map(expr);
            case COMPREHENSION -> loop(expr);
            case STRUCT, NOT_SET -> refuse(expr, "a condition cannot construct messages.");
        };
    }

    private Node refuse(CelExpr expr, String message) {
        problems.add(new ConditionProblem(positions.of(expr.id()), message));
        return TRUE;
    }

    private Node constant(CelExpr expr) {
        CelConstant constant = expr.constant();
        return switch (constant.getKind()) {
            case BOOLEAN_VALUE -> {
                int truth = Truth.of(constant.booleanValue());
                yield (Node.Test) _ -> truth;
            }
            case STRING_VALUE -> literal(constant.stringValue());
            case INT64_VALUE -> literal(constant.int64Value());
            case DOUBLE_VALUE -> literal(constant.doubleValue());
            case NULL_VALUE -> literal(JsonNull.NULL);
            default -> refuse(expr, "bytes and unsigned numbers are not used in rules.");
        };
    }

    private static Node literal(Object value) {
        return (Node.Value) _ -> value;
    }

    private Node path(CelExpr expr) {
        if (expr.getKind() == CelExpr.ExprKind.Kind.IDENT) {
            Integer slot = slots.get(expr.ident().name());
            if (slot != null) {
                int index = slot;
                return (Node.Value) frame -> frame.slot(index);
            }
        }
        Optional<Paths.Chain> chain = Paths.chain(expr, slots.keySet());
        Optional<Field> field = chain.flatMap(
                path -> Schema.standard().field(path.upTo(path.names().size())));
        if (field.isPresent()) {
            Node read = read(field.get());
            return expr.select().testOnly() ? exists(read) : read;
        }
        Optional<Group> group = chain.flatMap(Paths::group);
        if (group.isPresent()) {
            return expr.getKind() == CelExpr.ExprKind.Kind.SELECT
                            && expr.select().testOnly()
                    ? groupExists(expr, group.get())
                    : refuse(expr, group.get().path() + " is a group of fields, not a value.");
        }
        Node operand = node(expr.select().operand());
        String name = expr.select().field();
        Node member = (Node.Value) frame -> switch (operand.value(frame)) {
            case Unknown unknown -> unknown;
            case Object value -> Values.get(value, name);
        };
        return expr.select().testOnly() ? exists(member) : member;
    }

    Set<Meter> meters() {
        return meters;
    }

    private Node read(Field field) {
        reads.add(field);
        Optional<Function<ZonedDateTime, Object>> time = setting.zone().equals(ZoneOffset.UTC)
                ? Optional.empty()
                : Schema.standard().time(field);
        if (time.isPresent()) {
            Function<ZonedDateTime, Object> part = time.get();
            ZoneId zone = setting.zone();
            return (Node.Value)
                    frame -> part.apply(frame.event().envelope().at().atZone(zone));
        }
        return (Node.Value) frame -> frame.read(field);
    }

    /// `rate(key, "1m")`.
    private Node rate(CelExpr expr, CelCall call) {
        CelExpr window = call.args().get(1);
        Optional<Duration> length =
                isString(window) ? Windows.parse(window.constant().stringValue()) : Optional.empty();
        if (length.isEmpty() || !slots.isEmpty()) {
            return refuse(
                    slots.isEmpty() ? window : expr,
                    slots.isEmpty()
                            ? "the window of rate() is a text in quotes such as \"30s\", \"10m\" or \"24h\", at most 24h."
                            : "rate() does not work inside a loop.");
        }
        CelExpr key = call.args().get(0);
        String text =
                CelUnparserFactory.newUnparser().unparse(CelAbstractSyntaxTree.newParsedAst(key, tree.getSource()));
        Meter meter = new Meter(on, text, length.get(), node(key));
        meters.add(meter);
        return (Node.Value) frame -> frame.rate(meter);
    }

    /// `list("hosts.txt")`: the lines of a file beside the profile.
    private Node namedList(CelExpr expr, CelCall call) {
        return entries(call).map(Lowering::literal).orElseGet(() -> refuse(expr, unknownList(call)));
    }

    private Optional<List<String>> entries(CelCall call) {
        CelExpr name = call.args().get(0);
        return isString(name)
                ? Optional.ofNullable(setting.lists().get(name.constant().stringValue()))
                : Optional.empty();
    }

    private String unknownList(CelCall call) {
        CelExpr name = call.args().get(0);
        return isString(name)
                ? "there is no list " + name.constant().stringValue()
                        + ". Put the file beside the profile, one entry per line."
                : "the name of a list must be a text in quotes.";
    }

    /// A list from a file may be long: it is searched by hash, not by comparing.
    private Node inList(CelExpr value, CelExpr list) {
        Optional<List<String>> entries = entries(list.call());
        if (entries.isEmpty()) {
            return refuse(list, unknownList(list.call()));
        }
        Set<String> known = Set.copyOf(entries.get());
        return Operators.test(
                node(value), (found, _) -> Truth.of(found instanceof String text && known.contains(text)));
    }

    private static Node exists(Node node) {
        return (Node.Test) frame -> switch (node.value(frame)) {
            case Unknown unknown ->
                switch (unknown) {
                    case MISSING -> Truth.FALSE;
                    case OPAQUE -> Truth.TRUE;
                    case UNREAD -> Truth.EITHER;
                };
            default -> Truth.TRUE;
        };
    }

    /// A body is the one group that can be there or not.
    private Node groupExists(CelExpr expr, Group group) {
        Optional<Field> state = Schema.standard().field(group.path() + ".state");
        if (state.isEmpty()) {
            return refuse(expr, group.path() + " is a group of fields; ask for one of them.");
        }
        Node read = read(state.get());
        return (Node.Test) frame -> switch (read.value(frame)) {
            case Unknown _ -> Truth.EITHER;
            case Object value -> Truth.of(!value.equals("missing"));
        };
    }

    private Node call(CelExpr expr, CelCall call) {
        List<CelExpr> operands = new ArrayList<>();
        call.target().ifPresent(operands::add);
        operands.addAll(call.args());
        if (call.function().equals("@in") && isListCall(operands.get(1))) {
            return inList(operands.get(0), operands.get(1));
        }
        return switch (call.function()) {
            case "header" -> header(call);
            case "rate" -> rate(expr, call);
            case "list" -> namedList(expr, call);
            case "exists" -> existsCall(expr, operands.get(0));
            case "matches" -> matches(expr, operands);
            case "contains" -> {
                Node needle = node(operands.get(1));
                yield searched(operands.get(0), subject -> Operators.contains(subject, needle));
            }
            case "_[_]" -> index(operands);
            default ->
                operation(
                        expr, call.function(), operands.stream().map(this::node).toList());
        };
    }

    private Node existsCall(CelExpr expr, CelExpr operand) {
        Optional<Group> group = Paths.chain(operand, slots.keySet()).flatMap(Paths::group);
        return group.isPresent() ? groupExists(expr, group.get()) : exists(node(operand));
    }

    private Node header(CelCall call) {
        String group = Paths.chain(call.target().orElseThrow(), slots.keySet())
                .map(chain -> chain.upTo(chain.names().size()))
                .orElseThrow();
        Node headers = read(Schema.standard().field(group + ".headers").orElseThrow());
        CelExpr argument = call.args().get(0);
        Node name = isString(argument)
                ? literal(argument.constant().stringValue().toLowerCase(Locale.ROOT))
                : node(argument);
        return Operators.strict(headers, name, (byName, wanted, _) -> {
            if (!(wanted instanceof String text)) {
                return Unknown.MISSING;
            }
            return switch (Values.get(byName, text.toLowerCase(Locale.ROOT))) {
                case List<?> values -> joined(values);
                case Unknown unknown -> unknown;
                default -> Unknown.MISSING;
            };
        });
    }

    private static Object joined(List<?> values) {
        if (values.size() == 1) {
            return Values.element(values, 0);
        }
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < values.size(); i++) {
            all.append(i == 0 ? "" : ", ").append(values.get(i));
        }
        return all.toString();
    }

    private Node matches(CelExpr expr, List<CelExpr> operands) {
        CelExpr pattern = operands.get(1);
        if (!isString(pattern)) {
            return refuse(expr, "the pattern of matches() must be a text in quotes, so that it is compiled once.");
        }
        return switch (Regexes.compile(pattern.constant().stringValue())) {
            case Regexes.Compiled.Refused refused ->
                refuse(pattern, "the pattern is not accepted: " + refused.reason() + ".");
            case Regexes.Compiled.Ok ok ->
                searched(operands.get(0), subject -> Operators.matches(subject, ok.pattern()));
        };
    }

    /// `_meta` goes to the server beside the arguments: a search for text in these must not be dodged by it.
    private Node searched(CelExpr subject, UnaryOperator<Node> search) {
        Node found = search.apply(node(subject));
        Optional<Field> beside = Paths.chain(subject, slots.keySet())
                .map(chain -> chain.upTo(chain.names().size()))
                .filter(ARGUMENTS::contains)
                .flatMap(_ -> Schema.standard().field("mcp.request.meta"));
        if (beside.isEmpty()) {
            return found;
        }
        Node foundBeside = search.apply(read(beside.get()));
        return (Node.Test) frame -> {
            int inMeta = foundBeside.truth(frame);
            return inMeta == Truth.MISSING ? found.truth(frame) : Truth.or(inMeta, found.truth(frame));
        };
    }

    private Node index(List<CelExpr> operands) {
        Node container = node(operands.get(0));
        CelExpr key = operands.get(1);
        boolean header = isString(key)
                && Paths.chain(operands.get(0), slots.keySet())
                        .flatMap(Paths::field)
                        .filter(field -> field.path().endsWith(".headers"))
                        .isPresent();
        Node wanted = header ? literal(key.constant().stringValue().toLowerCase(Locale.ROOT)) : node(key);
        return Operators.strict(container, wanted, (from, at, _) -> Values.get(from, at));
    }

    private static boolean isListCall(CelExpr expr) {
        return expr.getKind() == CelExpr.ExprKind.Kind.CALL
                && expr.call().function().equals("list");
    }

    private static boolean isString(CelExpr expr) {
        return expr.getKind() == CelExpr.ExprKind.Kind.CONSTANT
                && expr.constant().getKind() == CelConstant.Kind.STRING_VALUE;
    }

    private Node operation(CelExpr expr, String function, List<Node> nodes) {
        Node first = nodes.get(0);
        return switch (function) {
            case "_&&_" -> Operators.and(first, nodes.get(1));
            case "_||_" -> Operators.or(first, nodes.get(1));
            case "!_" -> (Node.Test) frame -> Truth.not(first.truth(frame));
            case "@not_strictly_false" -> (Node.Test) frame -> Truth.of(first.truth(frame) != Truth.FALSE);
            case "_?_:_" -> Operators.choice(first, nodes.get(1), nodes.get(2));
            case "_==_" -> Operators.test(first, nodes.get(1), (a, b, frame) -> Truth.of(Operators.equal(a, b, frame)));
            case "_!=_" ->
                Operators.test(first, nodes.get(1), (a, b, frame) -> Truth.of(!Operators.equal(a, b, frame)));
            case "_<_" -> Operators.order(nodes, sign -> sign < 0);
            case "_<=_" -> Operators.order(nodes, sign -> sign <= 0);
            case "_>_" -> Operators.order(nodes, sign -> sign > 0);
            case "_>=_" -> Operators.order(nodes, sign -> sign >= 0);
            case "@in" -> Operators.test(first, nodes.get(1), Values::in);
            case "startsWith" -> Operators.texts(nodes, String::startsWith);
            case "endsWith" -> Operators.texts(nodes, String::endsWith);
            case "_+_" -> Operators.strict(first, nodes.get(1), Values::add);
            case "_-_" -> Operators.strict(first, nodes.get(1), (a, b, _) -> Values.subtract(a, b));
            case "_*_" -> Operators.strict(first, nodes.get(1), (a, b, _) -> Values.multiply(a, b));
            case "_/_" -> Operators.strict(first, nodes.get(1), (a, b, _) -> Values.divide(a, b));
            case "_%_" -> Operators.strict(first, nodes.get(1), (a, b, _) -> Values.modulo(a, b));
            case "-_" -> Operators.strict(first, Values::negate);
            case "size" -> Operators.strict(first, Values::size);
            case "int" -> Operators.strict(first, Values::toInt);
            case "double" -> Operators.strict(first, Values::toDouble);
            case "string" -> Operators.strict(first, Values::toText);
            case "dyn" -> first;
            case "lowerAscii" -> Operators.strict(first, value -> Operators.ascii(value, 'A', 'Z', 32));
            case "upperAscii" -> Operators.strict(first, value -> Operators.ascii(value, 'a', 'z', -32));
            default -> refuse(expr, "the function " + function + " is not used in rules.");
        };
    }

    private Node list(List<CelExpr> elements) {
        List<Node> nodes = elements.stream().map(this::node).toList();
        if (elements.stream().allMatch(Lowering::isString)) {
            List<Object> constants = new ArrayList<>();
            elements.forEach(element -> constants.add(element.constant().stringValue()));
            return literal(List.copyOf(constants));
        }
        return (Node.Value) frame -> {
            List<Object> values = new ArrayList<>(nodes.size());
            for (Node node : nodes) {
                Object value = node.value(frame);
                if (value instanceof Unknown) {
                    return value;
                }
                values.add(value);
            }
            return values;
        };
    }

    private Node map(CelExpr expr) {
        record Entry(Node key, Node value) {}
        List<Entry> entries = expr.map().entries().stream()
                .map(entry -> new Entry(node(entry.key()), node(entry.value())))
                .toList();
        return (Node.Value) frame -> {
            Map<Object, Object> values = new LinkedHashMap<>();
            for (Entry entry : entries) {
                Object key = entry.key().value(frame);
                Object value = entry.value().value(frame);
                if (key instanceof Unknown || value instanceof Unknown) {
                    return key instanceof Unknown ? key : value;
                }
                values.put(key, value);
            }
            return values;
        };
    }

    private Node loop(CelExpr expr) {
        CelComprehension loop = expr.comprehension();
        Node range = node(loop.iterRange());
        Node start = node(loop.accuInit());
        int element = depth * 2;
        int result = element + 1;
        if (result >= Frame.SLOTS_MAX || !loop.iterVar2().isEmpty()) {
            return refuse(expr, "loops are nested too deeply.");
        }
        Map<String, Integer> outside = new HashMap<>(slots);
        slots.put(loop.iterVar(), element);
        slots.put(loop.accuVar(), result);
        depth++;
        Loop lowered = new Loop(
                range, start, element, result, node(loop.loopCondition()), node(loop.loopStep()), node(loop.result()));
        depth--;
        slots.clear();
        slots.putAll(outside);
        boolean isTest = tree.getType(expr.id())
                .filter(type -> type.kind() == CelKind.BOOL)
                .isPresent();
        return isTest ? (Node.Test) lowered::truth : (Node.Value) lowered::value;
    }

    /// CEL's fold: `result` after each element of `range` went through `step`, while `goesOn`.
    private record Loop(Node range, Node start, int element, int accumulator, Node goesOn, Node step, Node result) {
        int truth(Frame frame) {
            Unknown unknown = run(frame);
            return unknown == null ? result.truth(frame) : Operators.truth(unknown);
        }

        Object value(Frame frame) {
            Unknown unknown = run(frame);
            return unknown == null ? result.value(frame) : unknown;
        }

        /// Null if it ran; else why it could not.
        private @Nullable Unknown run(Frame frame) {
            List<Object> elements = new ArrayList<>();
            switch (range.value(frame)) {
                case Unknown unknown -> {
                    return unknown;
                }
                case List<?> list -> list.forEach(value -> elements.add(Objects.requireNonNull(value)));
                case Map<?, ?> map -> map.keySet().forEach(key -> elements.add(Objects.requireNonNull(key)));
                default -> {
                    return Unknown.MISSING;
                }
            }
            frame.slot(accumulator, start.value(frame));
            for (Object value : elements) {
                frame.spend(4);
                frame.slot(element, value);
                if (goesOn.truth(frame) == Truth.FALSE) {
                    break;
                }
                frame.slot(accumulator, step.value(frame));
            }
            return null;
        }
    }
}
