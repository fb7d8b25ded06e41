/// Requests that come twice and must happen once. Entry type: [dev.capsem.sandboxserver.repeat.IdempotencyKeys].
@NullMarked
package dev.capsem.sandboxserver.repeat;

import org.jspecify.annotations.NullMarked;
