/// Events and decisions, as facts. Entry types: `RecordedExchange` (a `ResolvedEvent` and the rows
/// that hang off it) and the port `EventSink` that takes it. `row` holds one record per table row, `vocabulary` the
/// ids and the closed sets of names, `address` how hosts and URLs are read. Pure data: no SQL, no IO; knows nothing of
/// the modules that fill or store it.
@NullMarked
package dev.capsem.events;

import org.jspecify.annotations.NullMarked;
