package dev.capsem.policy.manifest;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.grammar.FsPath;
import dev.capsem.policy.grammar.Host;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// A named hole in capability strings, filled at compile time: `${name}`. Its type decides what may fill it.
public record Parameter(String name, Type type, Optional<String> fallback) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,63}");
    private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
    private static final Pattern BINARY = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._+-]*");
    private static final Pattern VARIABLE = Pattern.compile("[A-Z_][A-Z0-9_]*");

    /// What a value must look like. Only `paths` takes more than one value: the string is then read once for each.
    public enum Type {
        PATH("an absolute path without globs"),
        PATHS("one or more absolute paths without globs"),
        HOST("a host name or IP address"),
        PORT("a port from 1 to 65535"),
        BINARY("a program name"),
        VARIABLE("an UPPER_SNAKE_CASE environment name");

        private final String meaning;

        Type(String meaning) {
            this.meaning = meaning;
        }

        public String meaning() {
            return meaning;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Optional<Type> of(String word) {
            for (Type type : values()) {
                if (type.word().equals(word)) {
                    return Optional.of(type);
                }
            }
            return Optional.empty();
        }
    }

    public Parameter {
        if (!NAME.matcher(name).matches()) {
            throw new CompilationError(
                    Code.PARAM_SHAPE, "'" + name + "' is not a parameter name; use lower-case letters, digits and _");
        }
    }

    void check(List<String> values) {
        if (values.size() > 1 && type != Type.PATHS) {
            throw new CompilationError(Code.PARAM_VALUE, "parameter '" + name + "' takes one value, not several");
        }
        for (String value : values) {
            if (!fits(value)) {
                throw new CompilationError(
                        Code.PARAM_VALUE, "the value of parameter '" + name + "' is not " + type.meaning());
            }
        }
    }

    private boolean fits(String value) {
        boolean clean = value.codePoints().noneMatch(c -> Character.isISOControl(c) || c == '"' || c == '$')
                && value.length() <= 4096;
        return clean
                && switch (type) {
                    case PATH, PATHS -> isPlainPath(value);
                    case HOST -> isHost(value);
                    case PORT -> PORT.matcher(value).matches() && Integer.parseInt(value) <= 65_535;
                    case BINARY -> BINARY.matcher(value).matches();
                    case VARIABLE -> VARIABLE.matcher(value).matches();
                };
    }

    private static boolean isPlainPath(String value) {
        try {
            return !new FsPath(value).isGlob() && (value.length() == 1 || !value.endsWith("/"));
        } catch (CompilationError e) {
            return false;
        }
    }

    private static boolean isHost(String value) {
        try {
            Host.Form form = new Host(value).form();
            return form != Host.Form.ANY && form != Host.Form.SUBDOMAINS;
        } catch (CompilationError e) {
            return false;
        }
    }
}
