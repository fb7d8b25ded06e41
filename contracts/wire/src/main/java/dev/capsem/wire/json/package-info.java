/// Explicit JSON codecs: small helpers over Jackson's tree, no reflection.
@NullMarked
package dev.capsem.wire.json;

import org.jspecify.annotations.NullMarked;
