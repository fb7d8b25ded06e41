/// Tests of `dev.capsem.service.api`.
@NullMarked
package dev.capsem.service.api;

import org.jspecify.annotations.NullMarked;
