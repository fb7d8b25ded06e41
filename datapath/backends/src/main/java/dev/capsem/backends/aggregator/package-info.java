/// capsem-mcp-aggregator: lines in, lines out, many servers behind it. Entry type: `Aggregator`. Decides nothing about
/// what may be called; that was decided before a line gets here.
@NullMarked
package dev.capsem.backends.aggregator;

import org.jspecify.annotations.NullMarked;
