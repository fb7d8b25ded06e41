package dev.capsem.exchange.mcp;

/// The target of a call.
public sealed interface CallTarget {
    /// Anything that is no tool.
    record Method() implements CallTarget {}

    /// A name that no tool can have.
    record NoTool() implements CallTarget {}

    record Tool(TrustedTool tool) implements CallTarget {}

    /// The port to one tool and to the people who agreed to it.
    interface TrustedTool {
        ToolStanding standing();

        /// A person agreed to this version; if it is another one by now, nothing changes.
        void approved(String version);
    }
}
