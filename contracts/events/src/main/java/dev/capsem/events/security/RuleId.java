package dev.capsem.events.security;

import java.util.regex.Pattern;

/// `security.rules.<type>.<name>`. Ids order rules of equal priority, so their text order is part of the contract.
public record RuleId(String value) implements Comparable<RuleId> {
    private static final Pattern VALID =
            Pattern.compile("security\\.rules\\.(http|dns|mcp|model|process|file)\\.[A-Za-z0-9_-]{1,64}");

    public RuleId {
        if (!VALID.matcher(value).matches()) {
            throw new IllegalArgumentException("not a rule id: security.rules.<type>.<name>");
        }
    }

    public static RuleId of(String type, String name) {
        return new RuleId("security.rules." + type + "." + name);
    }

    public String type() {
        return value.split("\\.")[2];
    }

    public String name() {
        return value.substring(value.lastIndexOf('.') + 1);
    }

    @Override
    public int compareTo(RuleId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
