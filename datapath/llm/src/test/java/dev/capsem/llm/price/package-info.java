/// Tests of the package of the same name.
@NullMarked
package dev.capsem.llm.price;

import org.jspecify.annotations.NullMarked;
