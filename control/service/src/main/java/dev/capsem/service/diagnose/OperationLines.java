package dev.capsem.service.diagnose;

/// The names under which the service logs what it failed at and what took it long. Triage reads the lines again.
public final class OperationLines {
    public static final String SERVER_ERROR = "http.server_error";
    public static final String CANCELED = "http.canceled";
    public static final String SLOW = "http.slow";

    private OperationLines() {}
}
