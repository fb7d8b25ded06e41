/// Tests of stand-ins where no grant covers them.
@NullMarked
package dev.capsem.exchange.leak;

import org.jspecify.annotations.NullMarked;
