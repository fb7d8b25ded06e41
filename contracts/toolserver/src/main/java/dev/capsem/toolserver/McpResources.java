package dev.capsem.toolserver;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Resources that a client may read by address.
public interface McpResources {
    /// Each with `uri` and `name`.
    List<ObjectNode> list() throws InterruptedException;

    /// Each with `uriTemplate` and `name`.
    List<ObjectNode> templates();

    /// One entry of `contents`; empty when there is nothing at this address. Throws [ToolFailure].
    Optional<ObjectNode> read(String uri) throws InterruptedException;
}
