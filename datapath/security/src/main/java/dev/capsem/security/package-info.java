/// The Security Engine: rules in, decisions out. Entry type: `SecurityEngine`, which answers `SecurityGate`
/// from an immutable `RuleSnapshot` that `RuleSnapshot.compile` made of `SourceText`s. `schema` says what
/// rules may read, `condition` turns CEL into predicates, `rule` reads rule files, `sigma` detections,
/// `explain` answers why. No IO, no clock, no threads: sources come in as text, snapshots are swapped by the
/// caller. Sees only `events` and `source`.
@NullMarked
package dev.capsem.security;

import org.jspecify.annotations.NullMarked;
