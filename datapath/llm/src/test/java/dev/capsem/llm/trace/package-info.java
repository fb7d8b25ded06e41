/// Tests of the package of the same name.
@NullMarked
package dev.capsem.llm.trace;

import org.jspecify.annotations.NullMarked;
