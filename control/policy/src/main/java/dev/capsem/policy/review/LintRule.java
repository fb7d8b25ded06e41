package dev.capsem.policy.review;

import java.util.Locale;

/// Everything the lint looks for. Ids are published and never change.
public enum LintRule {
    ROOT_BIND(ReviewLevel.ERROR, "the whole file system is bound"),
    HOME_BIND(ReviewLevel.ERROR, "a home directory, or the directory of all of them, is bound"),
    SENSITIVE_PATH(ReviewLevel.ERROR, "a path that holds credentials or controls the host is bound"),
    TMP_SHARED(ReviewLevel.WARNING, "the host's /tmp is shared"),
    DOTTED_DIRECTORY(ReviewLevel.WARNING, "a directory with a dot in its name would be widened to its parent"),
    FILE_WIDENED(ReviewLevel.NOTE, "a file is lowered to the directory that holds it"),
    SAME_DIRECTORY(ReviewLevel.NOTE, "two roots lower to the same directory"),
    ANY_HOST_WITH_SECRET(ReviewLevel.ERROR, "any host may be reached while secrets are injected"),
    ANY_HOST(ReviewLevel.WARNING, "any host may be reached"),
    ANY_PORT(ReviewLevel.NOTE, "a host may be reached on every port"),
    PRIVATE_HOST(ReviewLevel.WARNING, "a private address is named, so the private ranges are not blocked for it"),
    METADATA_ADDRESS(ReviewLevel.ERROR, "a link-local or cloud metadata address is named"),
    SHELL(ReviewLevel.ERROR, "a shell may be started, and with it anything"),
    INTERPRETER(ReviewLevel.WARNING, "an interpreter may be started, and with it any script"),
    PRIVILEGED_PROGRAM(ReviewLevel.ERROR, "a program that changes user, host or containers may be started"),
    CONTAINER_SOCKET(ReviewLevel.ERROR, "a container engine's socket is opened, which is root on the host"),
    DESKTOP_BUS(ReviewLevel.WARNING, "a message bus or display is opened, through which other programs are driven"),
    UNKNOWN_ENDPOINT(ReviewLevel.WARNING, "an ipc endpoint is not known to the compiler"),
    NESTED_SANDBOX(ReviewLevel.WARNING, "namespaces are left shared for a nested sandbox"),
    SECRET_READ(ReviewLevel.WARNING, "a variable that looks secret is read instead of injected"),
    LOADER_VARIABLE(ReviewLevel.ERROR, "a variable that makes programs load other code is passed"),
    UNKNOWN_REFINEMENT(ReviewLevel.WARNING, "a refinement is not read by any target"),
    UNUSED_SERVER_CAPABILITY(ReviewLevel.WARNING, "a server capability serves no tool"),
    REDUNDANT_CAPABILITY(ReviewLevel.NOTE, "a capability is already granted by another one of the same owner"),
    WRITER_NAMED_READER(ReviewLevel.NOTE, "a tool named like a reader may write"),
    DUPLICATE_TOOL(ReviewLevel.WARNING, "two tools have the same name"),
    PARAMETER_UNUSED(ReviewLevel.NOTE, "a declared parameter is not used"),
    ASSERT_WITHOUT_DESCRIPTION(ReviewLevel.NOTE, "an assertion does not say what it asserts");

    private final ReviewLevel severity;
    private final String meaning;

    LintRule(ReviewLevel severity, String meaning) {
        this.severity = severity;
        this.meaning = meaning;
    }

    public ReviewLevel severity() {
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
