package dev.capsem.sandbox;

/// Something the host lacks: what, and the one thing to do about it.
public record HostProblem(String code, String cause, String remedy) {}
