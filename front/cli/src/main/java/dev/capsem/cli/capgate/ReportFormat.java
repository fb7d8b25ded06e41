package dev.capsem.cli.capgate;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/// How a report is written.
enum ReportFormat {
    TEXT,
    MARKDOWN,
    JSON,
    SARIF;

    static ReportFormat of(Arguments arguments, ReportFormat... allowed) {
        String word = arguments.value("--format").orElse("text");
        return Arrays.stream(allowed)
                .filter(format -> format.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new Arguments.Misuse("--format takes "
                        + Arrays.stream(allowed).map(ReportFormat::word).collect(Collectors.joining(", "))));
    }

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
