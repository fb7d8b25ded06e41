/// The operations on sandboxes, from their creation to their end. Entry type:
/// [dev.capsem.service.sandboxes.Sandboxes]. Each operation happens as a whole or is refused.
@NullMarked
package dev.capsem.service.sandboxes;

import org.jspecify.annotations.NullMarked;
