/// Fakes and fixtures that the tests of several modules share. Empty so far: what exists serves one module each.
@NullMarked
package dev.capsem.testkit;

import org.jspecify.annotations.NullMarked;
