/// The user's project inside a sandbox, copy-on-write: what it was at create (`ProjectManifest`, `Origin`), what
/// the guest changed (`ProjectChanges`), how that reads (`ProjectDiff`), how files come back (`ProjectApply`) and
/// how commits do (`git.Commits`). Entry type: `ProjectWorkspace`. The upper layer belongs to a hostile guest that may
/// still be running: it is only ever read through descriptors that were opened without following links, and git
/// never runs in it. Knows nothing of drivers or HTTP; the one process it starts is the host's git (`launch`).
@NullMarked
package dev.capsem.sandbox.workspace;

import org.jspecify.annotations.NullMarked;
