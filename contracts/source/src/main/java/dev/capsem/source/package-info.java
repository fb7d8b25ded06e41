/// Source texts and their problems: the words that the compilers of manifests, profiles and rules
/// share. Read [dev.capsem.source.SourceText] and [dev.capsem.source.Problem] first. `json` and `tree` read JSON and
/// TOML into values that know their place. Sees nothing of ours.
@NullMarked
package dev.capsem.source;

import org.jspecify.annotations.NullMarked;
