/// What a hostile program writes to a terminal.
@NullMarked
package dev.capsem.testkit.terminal;

import org.jspecify.annotations.NullMarked;
