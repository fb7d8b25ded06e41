/// Output of a hostile program to a terminal.
@NullMarked
package dev.capsem.testkit.terminal;

import org.jspecify.annotations.NullMarked;
