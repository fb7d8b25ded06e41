/// The capability language, version 0.0: strings of the form `kind:actions:scope[?key=value&…]`.
///
/// Read [dev.capsem.policy.grammar.CapabilityParser] first; [dev.capsem.policy.grammar.Capability] is what comes out.
/// Past this package nobody looks at a raw capability string again. It rejects what it cannot read without doubt,
/// because a string accepted with the wrong meaning is an over-grant. Depends on `diagnostic` and `json`.
@NullMarked
package dev.capsem.policy.grammar;

import org.jspecify.annotations.NullMarked;
