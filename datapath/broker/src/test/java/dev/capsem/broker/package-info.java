/// The broker without any IO.
@NullMarked
package dev.capsem.broker;

import org.jspecify.annotations.NullMarked;
