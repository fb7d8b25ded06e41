/// A session's configuration from its profile: read once per load, of one revision, swapped as a whole. Entry type:
/// `ConfigurationInForce`. Knows nobody who uses it.
@NullMarked
package dev.capsem.process.configuration;

import org.jspecify.annotations.NullMarked;
