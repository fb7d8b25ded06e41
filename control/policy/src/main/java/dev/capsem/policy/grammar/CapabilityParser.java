package dev.capsem.policy.grammar;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.diagnostic.Diagnostic;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/// Reads capability strings. Every fault is a [CompilationError] with the code that the grammar reference lists.
public final class CapabilityParser {
    /// The version a manifest may state in its `grammar` member.
    public static final String GRAMMAR_VERSION = "0.0";

    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
    private static final int PORT_MAX = 65_535;
    private static final Pattern ENV_NAME = Pattern.compile("[A-Z_][A-Z0-9_]*");
    private static final Pattern BINARY = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._+-]*");

    private CapabilityParser() {}

    /// Reads one string without parameters.
    public static Capability parse(String raw) {
        return parse(raw, Map.of());
    }

    /// Reads one string after putting in the given parameter values.
    public static Capability parse(String raw, Map<String, String> values) {
        CapabilityTemplate template = CapabilityTemplate.cut(raw);
        for (String name : template.placeholders()) {
            if (!values.containsKey(name)) {
                throw new CompilationError(
                        Code.PARAM_UNDECLARED, "'${" + name + "}' is not declared under \"parameters\"");
            }
        }
        return parse(raw, template.fill(values));
    }

    /// The parameters a string names, each once, in order.
    public static Set<String> placeholders(String raw) {
        return raw.contains("${") ? CapabilityTemplate.cut(raw).placeholders() : Set.of();
    }

    private static Capability parse(String raw, CapabilityTemplate template) {
        List<String> parts = template.parts();
        Refinements refinements = refinements(template.refinements());
        return switch (kind(raw, parts.getFirst())) {
            case FS -> fs(parts, refinements);
            case NET -> net(parts, refinements);
            case EXEC -> exec(parts, refinements);
            case ENV -> env(parts, refinements);
            case IPC -> ipc(parts, refinements);
            case CLOCK -> clock(parts, refinements);
            case ASSERT -> assertion(parts, refinements);
        };
    }

    private static Kind kind(String raw, String word) {
        for (Kind kind : Kind.values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new CompilationError(Diagnostic.of(
                        Code.CAP_UNKNOWN_KIND,
                        "'" + word + "' is not a capability kind; use fs, net, exec, env, ipc, clock or assert")
                .with(JsonValue.members().put("raw", raw).build()));
    }

    private static Capability fs(List<String> parts, Refinements refinements) {
        checkCount(Kind.FS, parts, 3, 3, "fs:read:/path");
        List<FsAction> actions = actions(Kind.FS, parts.get(1)).stream()
                .map(word -> FsAction.valueOf(word.toUpperCase(Locale.ROOT)))
                .toList();
        return new Capability.Fs(actions, new FsPath(parts.get(2)), refinements);
    }

    private static Capability net(List<String> parts, Refinements refinements) {
        checkCount(Kind.NET, parts, 3, 4, "net:connect:host or net:connect:host:port");
        actions(Kind.NET, parts.get(1));
        OptionalInt port = parts.size() == 4 ? OptionalInt.of(port(parts.get(3))) : OptionalInt.empty();
        return new Capability.Net(new Host(parts.get(2)), port, refinements);
    }

    private static Capability exec(List<String> parts, Refinements refinements) {
        checkCount(Kind.EXEC, parts, 3, 3, "exec:spawn:name");
        actions(Kind.EXEC, parts.get(1));
        return new Capability.Exec(binary(parts.get(2)), refinements);
    }

    private static Capability env(List<String> parts, Refinements refinements) {
        checkCount(Kind.ENV, parts, 3, 3, "env:inject:NAME");
        List<EnvAction> actions = actions(Kind.ENV, parts.get(1)).stream()
                .map(word -> EnvAction.valueOf(word.toUpperCase(Locale.ROOT)))
                .toList();
        if (!ENV_NAME.matcher(parts.get(2)).matches()) {
            throw new CompilationError(
                    Code.CAP_ENV_NAME, "'" + parts.get(2) + "' is not an UPPER_SNAKE_CASE environment name");
        }
        return new Capability.Env(actions, parts.get(2), refinements);
    }

    private static Capability ipc(List<String> parts, Refinements refinements) {
        checkCount(Kind.IPC, parts, 3, 3, "ipc:connect:x11 or ipc:connect:\"unix:/path\"");
        actions(Kind.IPC, parts.get(1));
        return new Capability.Ipc(new IpcEndpoint(parts.get(2)), refinements);
    }

    private static Capability clock(List<String> parts, Refinements refinements) {
        checkCount(Kind.CLOCK, parts, 2, 2, "clock:system or clock:tzdata");
        return switch (parts.get(1)) {
            case "system" -> new Capability.Clock(ClockSource.SYSTEM, refinements);
            case "tzdata" -> new Capability.Clock(ClockSource.TZDATA, refinements);
            default ->
                throw new CompilationError(
                        Code.CAP_CLOCK_SOURCE, "'" + parts.get(1) + "' is not a clock source; use system or tzdata");
        };
    }

    private static Capability assertion(List<String> parts, Refinements refinements) {
        String id = parts.get(1);
        if (id.isEmpty()) {
            throw new CompilationError(Code.CAP_SCOPE_EMPTY, "the assertion id is empty; name what is asserted");
        }
        String description = String.join(":", parts.subList(2, parts.size()));
        return new Capability.Assert(id, description.isEmpty() ? id : description, refinements);
    }

    static int port(String text) {
        if (!PORT.matcher(text).matches() || Integer.parseInt(text) > PORT_MAX) {
            throw new CompilationError(Code.CAP_NET_PORT, "'" + text + "' is not a port; use a number from 1 to 65535");
        }
        return Integer.parseInt(text);
    }

    static String binary(String text) {
        if (text.isEmpty()) {
            throw new CompilationError(Code.CAP_SCOPE_EMPTY, "the binary is empty; name a program");
        }
        if (text.indexOf('/') >= 0) {
            throw new CompilationError(Code.CAP_EXEC_PATH, "'" + text + "' is a path; name the program only");
        }
        if (!BINARY.matcher(text).matches()) {
            throw new CompilationError(
                    Code.CAP_EXEC_NAME, "'" + text + "' is not a program name of letters, digits and . _ + -");
        }
        return text;
    }

    private static void checkCount(Kind kind, List<String> parts, int min, int max, String form) {
        if (parts.size() < min || parts.size() > max) {
            throw new CompilationError(
                    kind.shapeCode(),
                    "a capability of kind '" + kind.word() + "' reads " + form + "; put text that holds ':' in quotes");
        }
    }

    private static List<String> actions(Kind kind, String text) {
        if (text.isEmpty()) {
            throw new CompilationError(
                    Code.CAP_ACTIONS_EMPTY,
                    "the actions are empty; '" + kind.word() + "' allows " + String.join(", ", kind.actions()));
        }
        Set<String> words = new LinkedHashSet<>();
        for (String item : text.split(",", -1)) {
            String word = item.strip();
            if (!kind.actions().contains(word)) {
                throw new CompilationError(Diagnostic.of(
                                Code.CAP_ACTION_UNKNOWN,
                                "'" + word + "' is not an action of '" + kind.word() + "'; use "
                                        + String.join(", ", kind.actions()))
                        .with(JsonValue.members().put("allowed", kind.actions()).build()));
            }
            words.add(word);
        }
        return new ArrayList<>(words);
    }

    private static Refinements refinements(String text) {
        Refinements refinements = Refinements.NONE;
        if (text.isEmpty()) {
            return refinements;
        }
        for (String item : text.split("&", -1)) {
            String[] sides = item.split("=", -1);
            if (sides[0].isEmpty()) {
                throw new CompilationError(Code.CAP_REFINEMENT, "a refinement in '?" + text + "' has no name");
            }
            Optional<String> value = sides.length > 1 ? Optional.of(sides[1]) : Optional.empty();
            refinements = refinements.plus(new Refinements.Refinement(sides[0], value));
        }
        return refinements;
    }
}
