/// The life of sandboxes as the sandbox-server API sees it: forked, listed, paused, given a deadline, ended. Entry
/// type: [dev.capsem.service.v1.sandboxes.SandboxesApi].
@NullMarked
package dev.capsem.service.v1.sandboxes;

import org.jspecify.annotations.NullMarked;
