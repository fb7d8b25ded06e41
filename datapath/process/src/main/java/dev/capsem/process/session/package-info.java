/// One sandbox from its assignment to its end. Entry types: `SandboxStart` (boots it) and `SandboxSession` (the running
/// sandbox: its lifecycle, its parts, its orderly end). Decisions about the lifecycle are those of
/// `dev.capsem.sandbox.SandboxLifecycle`; this package carries them out.
@NullMarked
package dev.capsem.process.session;

import org.jspecify.annotations.NullMarked;
