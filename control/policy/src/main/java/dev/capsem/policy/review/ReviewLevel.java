package dev.capsem.policy.review;

import java.util.Locale;

/// As SARIF names them, worst first. Only errors fail a check.
public enum ReviewLevel {
    ERROR,
    WARNING,
    NOTE;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
