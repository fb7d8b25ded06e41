/// Requests that come twice and must happen once. Entry type: [dev.capsem.service.v1.repeat.IdempotencyKeys].
@NullMarked
package dev.capsem.service.v1.repeat;

import org.jspecify.annotations.NullMarked;
