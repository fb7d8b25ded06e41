/// Files of a running sandbox by absolute path: below `/root` by the agent's own operations, elsewhere by programs
/// of the guest, with the guest's rights. Entry type: [dev.capsem.sandboxserver.files.GuestFiles].
@NullMarked
package dev.capsem.sandboxserver.files;

import org.jspecify.annotations.NullMarked;
