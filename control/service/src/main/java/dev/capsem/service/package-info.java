/// The engine room of capsem-service: sandboxes, their processes, profiles and rules, approvals, records. Entry type:
/// [dev.capsem.service.SandboxEngine]. Knows nothing of HTTP, and never touches a guest's bytes itself: commands and
/// files go through the sandbox's own process.
@NullMarked
package dev.capsem.service;

import org.jspecify.annotations.NullMarked;
