/// Tests of the package of the same name.
@NullMarked
package dev.capsem.llm.stream;

import org.jspecify.annotations.NullMarked;
