/// Looks at the disk and memory that sandboxes take, and stops those that pass their share. Entry type:
/// [dev.capsem.service.watch.LimitWatch].
@NullMarked
package dev.capsem.service.watch;

import org.jspecify.annotations.NullMarked;
