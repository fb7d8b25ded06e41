package dev.capsem.policy.review;

import java.util.Locale;

/// Everything the lint looks for. Ids are published and never change.
public enum LintRule {
    ROOT_BIND(Severity.ERROR, "the whole file system is bound"),
    HOME_BIND(Severity.ERROR, "a home directory, or the directory of all of them, is bound"),
    SENSITIVE_PATH(Severity.ERROR, "a path that holds credentials or controls the host is bound"),
    TMP_SHARED(Severity.WARNING, "the host's /tmp is shared"),
    DOTTED_DIRECTORY(Severity.WARNING, "a directory with a dot in its name would be widened to its parent"),
    FILE_WIDENED(Severity.NOTE, "a file is lowered to the directory that holds it"),
    SAME_DIRECTORY(Severity.NOTE, "two roots lower to the same directory"),
    ANY_HOST_WITH_SECRET(Severity.ERROR, "any host may be reached while secrets are injected"),
    ANY_HOST(Severity.WARNING, "any host may be reached"),
    ANY_PORT(Severity.NOTE, "a host may be reached on every port"),
    PRIVATE_HOST(Severity.WARNING, "a private address is named, so the private ranges are not blocked for it"),
    METADATA_ADDRESS(Severity.ERROR, "a link-local or cloud metadata address is named"),
    SHELL(Severity.ERROR, "a shell may be started, and with it anything"),
    INTERPRETER(Severity.WARNING, "an interpreter may be started, and with it any script"),
    PRIVILEGED_PROGRAM(Severity.ERROR, "a program that changes user, host or containers may be started"),
    CONTAINER_SOCKET(Severity.ERROR, "a container engine's socket is opened, which is root on the host"),
    DESKTOP_BUS(Severity.WARNING, "a message bus or display is opened, through which other programs are driven"),
    UNKNOWN_ENDPOINT(Severity.WARNING, "an ipc endpoint is not known to the compiler"),
    NESTED_SANDBOX(Severity.WARNING, "namespaces are left shared for a nested sandbox"),
    SECRET_READ(Severity.WARNING, "a variable that looks secret is read instead of injected"),
    LOADER_VARIABLE(Severity.ERROR, "a variable that makes programs load other code is passed"),
    UNKNOWN_REFINEMENT(Severity.WARNING, "a refinement is not read by any target"),
    UNUSED_SERVER_CAPABILITY(Severity.WARNING, "a server capability serves no tool"),
    REDUNDANT_CAPABILITY(Severity.NOTE, "a capability is already granted by another one of the same owner"),
    WRITER_NAMED_READER(Severity.NOTE, "a tool named like a reader may write"),
    DUPLICATE_TOOL(Severity.WARNING, "two tools have the same name"),
    PARAMETER_UNUSED(Severity.NOTE, "a declared parameter is not used"),
    ASSERT_WITHOUT_DESCRIPTION(Severity.NOTE, "an assertion does not say what it asserts");

    private final Severity severity;
    private final String meaning;

    LintRule(Severity severity, String meaning) {
        this.severity = severity;
        this.meaning = meaning;
    }

    public Severity severity() {
        return severity;
    }

    public String meaning() {
        return meaning;
    }

    /// As printed and put into SARIF: `capgate/root-bind`.
    public String id() {
        return "capgate/" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
