/// Tests of the model tap. `src/test/golden/<case>/` holds a call, its reply and the rows it must give.
@NullMarked
package dev.capsem.llm;

import org.jspecify.annotations.NullMarked;
