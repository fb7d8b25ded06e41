package dev.capsem.wire.aggregator;

/// @param id counts up from 1; the reply echoes it
public record AggregatorRequest(long id, Operation operation) {}
