package dev.capsem.source;

/// Where in a text: one-based; columns count UTF-16 code units, as SARIF and editors do.
public record Position(int line, int column) {}
