/// Tests of the package of the same name.
@NullMarked
package dev.capsem.llm.tool;

import org.jspecify.annotations.NullMarked;
