package dev.capsem.wire;

/// The version that all our programs report, the same as the project's in `pom.xml`.
public final class CapsemVersion {
    public static final String TEXT = "0.1.0";

    private CapsemVersion() {}
}
