/// Strict JSON with source offsets: a small reader, a writer in the style of `JSON.stringify`, and RFC 8785.
///
/// Read [dev.capsem.source.json.JsonReader] first. Every problem is reported with line and column, and duplicate
/// members are seen rather than merged; docs/adr/0029 says why Jackson does not do it. Depends on the root
/// package only.
@NullMarked
package dev.capsem.source.json;

import org.jspecify.annotations.NullMarked;
