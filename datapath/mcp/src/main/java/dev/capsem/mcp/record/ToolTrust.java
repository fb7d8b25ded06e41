package dev.capsem.mcp.record;

import java.util.Optional;

/// Knows tools that are not what a person last agreed to.
public interface ToolTrust {
    ToolTrust ALL = new ToolTrust() {
        @Override
        public Optional<String> concern(String backendName) {
            return Optional.empty();
        }

        @Override
        public void approved(String backendName) {}
    };

    /// Why a person should be asked before this tool runs; empty if there is no reason to.
    ///
    /// @param backendName `server__tool`
    Optional<String> concern(String backendName);

    /// Whether its server is there and has no such tool.
    ///
    /// @param backendName `server__tool`
    default boolean isMissing(String backendName) {
        return false;
    }

    /// A person agreed to it as it is now.
    void approved(String backendName);
}
