package dev.capsem.mcp.record;

import dev.capsem.wire.aggregator.CatalogEntry;
import java.util.List;

/// Knows tools that are not what a person last agreed to.
public interface ToolTrust {
    ToolTrust ALL = new ToolTrust() {
        @Override
        public Standing standing(String backendName) {
            return new Standing.Agreed();
        }

        @Override
        public List<CatalogEntry> shown(List<CatalogEntry> tools) {
            return tools;
        }

        @Override
        public void approved(String backendName, String version) {}
    };

    /// How a tool stands at the moment.
    sealed interface Standing {
        /// It is what a person agreed to.
        record Agreed() implements Standing {}

        /// Its server is there and has no such tool.
        record Missing() implements Standing {}

        /// Its server is not there, so nobody can tell what the tool is by now.
        ///
        /// @param reason for the client
        record Away(String reason) implements Standing {}

        /// A person must be asked before it runs.
        ///
        /// @param version what an approval counts for, and nothing else
        /// @param reason for that person
        record Doubtful(String version, String reason) implements Standing {}
    }

    /// @param backendName `server__tool`
    Standing standing(String backendName);

    /// The same tools as a model may read them: words that nobody agreed to are left out.
    List<CatalogEntry> shown(List<CatalogEntry> tools);

    /// A person agreed to this version; if it is another one by now, nothing changes.
    void approved(String backendName, String version);
}
