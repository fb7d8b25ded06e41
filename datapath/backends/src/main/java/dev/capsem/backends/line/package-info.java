/// Lines out: `LineWriter` to the one who asked, `EventLog` to the log.
@NullMarked
package dev.capsem.backends.line;

import org.jspecify.annotations.NullMarked;
