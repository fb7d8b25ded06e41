/// Rule files: TOML in, typed rules out, with every problem at its line and column. Entry types: `RuleReader`
/// and `Rule`. `Rewrite` is the checked change that a rewrite rule makes. Does not order, index or evaluate:
/// that is the root package's job.
@NullMarked
package dev.capsem.security.rule;

import org.jspecify.annotations.NullMarked;
