package dev.capsem.cli.capgate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Words and options of a command line. Options may be written `--name value` or `--name=value`.
record Arguments(List<String> words, Map<String, List<String>> options) {
    /// Options that stand alone; every other known one takes a value.
    static final Set<String> FLAGS = Set.of(
            "--pretty",
            "--permissive",
            "--per-tool",
            "--coverage",
            "--hardened",
            "--raw",
            "--writable-rootfs",
            "--help");

    static final Set<String> VALUED = Set.of(
            "--target",
            "--egress-target",
            "--merge",
            "--param",
            "--validators",
            "--format",
            "--image",
            "--command",
            "--user",
            "--worker-heap-mb",
            "--worker-young-mb",
            "--worker-code-mb",
            "--worker-stack-mb");

    Arguments {
        words = List.copyOf(words);
        options = Map.copyOf(options);
    }

    /// The command line cannot be understood. Exit code 2.
    static final class Misuse extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Misuse(String message) {
            super(message);
        }
    }

    static Arguments parse(List<String> args) {
        List<String> words = new ArrayList<>();
        Map<String, List<String>> options = new LinkedHashMap<>();
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (arg.equals("-") || !arg.startsWith("-")) {
                words.add(arg);
                continue;
            }
            int equals = arg.indexOf('=');
            String name = equals < 0 ? arg : arg.substring(0, equals);
            if (FLAGS.contains(name) && equals < 0) {
                options.computeIfAbsent(name, ignored -> new ArrayList<>());
            } else if (VALUED.contains(name)) {
                if (equals < 0 && i + 1 == args.size()) {
                    throw new Misuse("option " + name + " needs a value");
                }
                String value = equals < 0 ? args.get(i + 1) : arg.substring(equals + 1);
                i += equals < 0 ? 1 : 0;
                options.computeIfAbsent(name, ignored -> new ArrayList<>()).add(value);
            } else {
                throw new Misuse("unknown option " + name);
            }
        }
        return new Arguments(words, options);
    }

    boolean has(String option) {
        return options.containsKey(option);
    }

    List<String> values(String option) {
        return options.getOrDefault(option, List.of());
    }

    Optional<String> value(String option) {
        List<String> values = values(option);
        if (values.size() > 1) {
            throw new Misuse("option " + option + " is given twice");
        }
        return values.stream().findFirst();
    }

    int number(String option, int fallback) {
        Optional<String> value = value(option);
        if (value.isEmpty()) {
            return fallback;
        }
        if (!value.get().matches("[1-9][0-9]{0,5}")) {
            throw new Misuse("option " + option + " needs a whole number from 1 to 999999");
        }
        return Integer.parseInt(value.get());
    }

    void allowOnly(Set<String> allowed) {
        for (String option : options.keySet()) {
            if (!allowed.contains(option)) {
                throw new Misuse("option " + option + " does not belong to command '" + words.getFirst() + "'");
            }
        }
    }
}
