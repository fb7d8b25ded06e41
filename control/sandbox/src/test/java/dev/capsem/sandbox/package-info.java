/// The lifecycle's tests, the suite that every driver must pass, and a driver in memory for whoever stands
/// above one.
@NullMarked
package dev.capsem.sandbox;

import org.jspecify.annotations.NullMarked;
