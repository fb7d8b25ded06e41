/// Repositories: the user's (`UserRepository`, `GitIndex`), the guest's, which is read but never run in
/// (`GuestRepository`),
/// and the commits that come back from it (`Commits`).
@NullMarked
package dev.capsem.sandbox.workspace.git;

import org.jspecify.annotations.NullMarked;
