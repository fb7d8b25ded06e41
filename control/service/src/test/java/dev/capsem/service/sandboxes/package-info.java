/// Tests of `dev.capsem.service.sandboxes`.
@NullMarked
package dev.capsem.service.sandboxes;

import org.jspecify.annotations.NullMarked;
