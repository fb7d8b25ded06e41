/// Tests of what the bwrap driver reads and writes, against files in a temporary directory.
@NullMarked
package dev.capsem.sandbox.bwrap.io;

import org.jspecify.annotations.NullMarked;
