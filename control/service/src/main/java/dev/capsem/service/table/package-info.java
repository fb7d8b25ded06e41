/// Which sandboxes there are: their facts, states, session directories and last activity. Entry type:
/// [dev.capsem.service.table.SandboxTable]. Starts and stops nothing.
@NullMarked
package dev.capsem.service.table;

import org.jspecify.annotations.NullMarked;
