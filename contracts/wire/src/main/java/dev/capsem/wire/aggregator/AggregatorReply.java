package dev.capsem.wire.aggregator;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The result of an operation.
public sealed interface AggregatorReply {
    record Servers(List<ServerStatus> servers) implements AggregatorReply {
        public Servers {
            servers = List.copyOf(servers);
        }
    }

    /// One page of a catalog.
    ///
    /// @param nextCursor where the next page begins; absent on the last
    record Page(Kind kind, List<CatalogEntry> entries, Optional<String> nextCursor) implements AggregatorReply {
        public Page {
            entries = List.copyOf(entries);
        }
    }

    /// The server's answer, untouched.
    record Result(ObjectNode result) implements AggregatorReply {}

    record Ok() implements AggregatorReply {}

    /// @param code if it was the server that refused: its JSON-RPC code
    record Failed(String error, OptionalInt code, Optional<JsonNode> data) implements AggregatorReply {
        public static Failed of(String error) {
            return new Failed(error, OptionalInt.empty(), Optional.empty());
        }
    }

    /// What catalogs list, with the member that holds it.
    enum Kind {
        TOOLS("tools"),
        RESOURCES("resources"),
        TEMPLATES("resource_templates"),
        PROMPTS("prompts");

        private final String member;

        Kind(String member) {
            this.member = member;
        }

        public String member() {
            return member;
        }
    }
}
