/// The life of sandboxes as the sandbox-server API sees it: forked, listed, paused, given a deadline, ended. Entry
/// type: [dev.capsem.sandboxserver.sandboxes.SandboxesApi].
@NullMarked
package dev.capsem.sandboxserver.sandboxes;

import org.jspecify.annotations.NullMarked;
