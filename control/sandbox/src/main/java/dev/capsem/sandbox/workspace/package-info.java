/// The user's project inside a sandbox, copy-on-write: what it was at create (`ProjectManifest`), what the guest
/// changed (`ProjectChanges`), how that reads (`ProjectDiff`) and how it comes back (`ProjectApply`). Entry type:
/// `ProjectWorkspace`. The upper layer belongs to a hostile guest that may still be running: it is only ever read
/// through descriptors that were opened without following links. Knows nothing of drivers, processes or HTTP.
@NullMarked
package dev.capsem.sandbox.workspace;

import org.jspecify.annotations.NullMarked;
