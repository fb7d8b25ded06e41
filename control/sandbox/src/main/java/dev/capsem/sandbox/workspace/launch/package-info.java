/// The only place where the host's git is started. Entry type: `HostGit`. Git runs in repositories of the user's and
/// in ones that we made, never where a guest wrote what git would take for its configuration.
@NullMarked
package dev.capsem.sandbox.workspace.launch;

import org.jspecify.annotations.NullMarked;
