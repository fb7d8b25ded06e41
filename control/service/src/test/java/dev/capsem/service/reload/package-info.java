/// Tests of this package.
@NullMarked
package dev.capsem.service.reload;

import org.jspecify.annotations.NullMarked;
