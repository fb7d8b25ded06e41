/// Named directories that outlive sandboxes, kept as numbered revisions: copied into a sandbox, taken back from it,
/// compared and reverted. A revision is a tar archive that a guest wrote; the host reads its headers and never
/// unpacks it. Entry type: [dev.capsem.sandboxserver.workspaces.Workspaces].
@NullMarked
package dev.capsem.sandboxserver.workspaces;

import org.jspecify.annotations.NullMarked;
