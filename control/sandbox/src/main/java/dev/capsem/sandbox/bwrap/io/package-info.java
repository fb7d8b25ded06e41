/// The bwrap driver's access to the host: /proc, cgroups, the template's locks, the launcher's
/// last words. Entry types: `CgroupFiles`, `ProcessTable`.
@NullMarked
package dev.capsem.sandbox.bwrap.io;

import org.jspecify.annotations.NullMarked;
