/// Tests of the bwrap driver: its plans without IO, and itself on a real host (tagged `e2e`).
@NullMarked
package dev.capsem.sandbox.bwrap;

import org.jspecify.annotations.NullMarked;
