/// TOML and JSON as one tree whose values know their place, and `Fields`, which reads such a tree and collects
/// problems instead of throwing. Knows nothing of what the fields mean.
@NullMarked
package dev.capsem.source.tree;

import org.jspecify.annotations.NullMarked;
