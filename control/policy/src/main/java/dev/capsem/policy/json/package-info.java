/// Strict JSON with source offsets: a small reader, a writer in the style of `JSON.stringify`, and RFC 8785.
///
/// Read [dev.capsem.policy.json.JsonReader] first. The package exists because every problem of a manifest is
/// reported with line and column, duplicate members must be seen rather than merged, and `capgate` starts in
/// milliseconds only without a data-binding library. It depends on nothing.
@NullMarked
package dev.capsem.policy.json;

import org.jspecify.annotations.NullMarked;
