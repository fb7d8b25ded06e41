package dev.capsem.exchange.mcp;

/// How a tool stands at the moment.
public sealed interface ToolStanding {
    /// It is what a person agreed to.
    record Agreed() implements ToolStanding {}

    /// Its server is there and has no such tool.
    record Missing() implements ToolStanding {}

    /// Its server is not there, so nobody can tell what the tool is by now.
    ///
    /// @param reason for the client
    record Away(String reason) implements ToolStanding {}

    /// A person must be asked before it runs.
    ///
    /// @param version what an approval counts for, and nothing else
    /// @param reason for that person
    record Doubtful(String version, String reason) implements ToolStanding {}
}
