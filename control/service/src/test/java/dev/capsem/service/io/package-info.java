/// Tests of `dev.capsem.service.io`.
@NullMarked
package dev.capsem.service.io;

import org.jspecify.annotations.NullMarked;
