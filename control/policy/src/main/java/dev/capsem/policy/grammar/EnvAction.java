package dev.capsem.policy.grammar;

import java.util.Locale;

/// How a variable reaches the server. Inject (from a secret store) is the stronger one.
public enum EnvAction {
    READ,
    INJECT;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
