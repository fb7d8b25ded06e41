/// The fields that rules and detections may read: the canonical paths, their types, at which events each is known and
/// how it is taken from the event. Entry type: `Schema`. One table serves type checks, suggestions,
/// evaluation, the index and the reference page, so that they cannot disagree.
@NullMarked
package dev.capsem.security.schema;

import org.jspecify.annotations.NullMarked;
