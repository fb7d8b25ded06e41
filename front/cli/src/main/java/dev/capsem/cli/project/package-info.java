/// Commands for a project lent copy-on-write: diff and apply, and what `run` and `shell` do with changes in the end.
/// Entry type: `ProjectChoice`, the options that lend one.
@NullMarked
package dev.capsem.cli.project;

import org.jspecify.annotations.NullMarked;
