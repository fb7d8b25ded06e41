/// Tests of `dev.capsem.service.registry`.
@NullMarked
package dev.capsem.service.registry;

import org.jspecify.annotations.NullMarked;
