package dev.capsem.mcp.backend;

import java.io.InputStream;
import java.io.OutputStream;

/// A running aggregator.
///
/// @param output its stdout
/// @param input its stdin
/// @param end makes sure that it is gone; may be called more than once
public record AggregatorPipes(InputStream output, OutputStream input, Runnable end) {}
