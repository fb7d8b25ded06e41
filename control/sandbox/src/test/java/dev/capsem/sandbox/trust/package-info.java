/// Tests of what sandboxes trust.
@NullMarked
package dev.capsem.sandbox.trust;

import org.jspecify.annotations.NullMarked;
