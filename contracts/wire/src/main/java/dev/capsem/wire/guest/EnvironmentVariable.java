package dev.capsem.wire.guest;

/// One variable of a command's environment. Lists of them keep the order in which they were sent.
public record EnvironmentVariable(String name, String value) {}
