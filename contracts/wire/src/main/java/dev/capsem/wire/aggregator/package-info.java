/// The protocol between capsem-process and capsem-mcp-aggregator: JSON objects, one per line, requests with ids that
/// the replies echo, in any order. Entry type: `AggregatorProtocol`. The first line to the aggregator is an array of
/// `ServerDefinition`s. No IO.
@NullMarked
package dev.capsem.wire.aggregator;

import org.jspecify.annotations.NullMarked;
