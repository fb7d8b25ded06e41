/// Tests of the session database: real files in a temporary directory, no network, no processes but in
/// `e2e`-tagged classes.
@NullMarked
package dev.capsem.telemetry;

import org.jspecify.annotations.NullMarked;
