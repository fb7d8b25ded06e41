/// capsem-process: wires the guest's ports, commands, records and the service's requests to one sandbox. Entry type:
/// `ProcessMain`, the composition root. A feature's package sees other features only through what `session` and
/// `ProcessMain` hand it.
@NullMarked
package dev.capsem.process;

import org.jspecify.annotations.NullMarked;
