/// Files of the two trees, the user's and the guest's. `Anchor` opens them by descriptor and follows no link; a
/// `Change` says what became of one.
@NullMarked
package dev.capsem.sandbox.workspace.tree;

import org.jspecify.annotations.NullMarked;
