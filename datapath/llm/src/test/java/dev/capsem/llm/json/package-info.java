/// Tests of the package of the same name.
@NullMarked
package dev.capsem.llm.json;

import org.jspecify.annotations.NullMarked;
