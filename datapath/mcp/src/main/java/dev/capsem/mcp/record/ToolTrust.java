package dev.capsem.mcp.record;

import dev.capsem.exchange.mcp.ToolStanding;
import dev.capsem.wire.aggregator.CatalogEntry;
import java.util.List;

/// Knows tools that are not what a person last agreed to.
public interface ToolTrust {
    ToolTrust ALL = new ToolTrust() {
        @Override
        public ToolStanding standing(String backendName) {
            return new ToolStanding.Agreed();
        }

        @Override
        public List<CatalogEntry> shown(List<CatalogEntry> tools) {
            return tools;
        }

        @Override
        public void approved(String backendName, String version) {}
    };

    /// @param backendName `server__tool`
    ToolStanding standing(String backendName);

    /// The same tools as a model may read them: words that nobody agreed to are left out.
    List<CatalogEntry> shown(List<CatalogEntry> tools);

    /// A person agreed to this version; if it is another one by now, nothing changes.
    void approved(String backendName, String version);
}
