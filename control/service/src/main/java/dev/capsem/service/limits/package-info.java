/// When what all sandboxes share runs short, and whose turn it is then: arithmetic without IO, and one look at a
/// filesystem. Entry types: `Gauge`, `DiskFloor`. Knows nothing of how sandboxes are run.
@NullMarked
package dev.capsem.service.limits;

import org.jspecify.annotations.NullMarked;
