/// Tests of the package of the same name.
@NullMarked
package dev.capsem.service.v1.tokens;

import org.jspecify.annotations.NullMarked;
