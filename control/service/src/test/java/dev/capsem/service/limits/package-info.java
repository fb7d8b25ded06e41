/// Tests of `dev.capsem.service.limits`.
@NullMarked
package dev.capsem.service.limits;

import org.jspecify.annotations.NullMarked;
