/// The rules in force in this session. Entry type: `SessionRules`, which reads the effective profile and what was added
/// to the running session, compiles both and puts them before the Security Engine, all or nothing. What cannot be read
/// or compiled leaves the rules before in force; if there are none, everything is blocked.
@NullMarked
package dev.capsem.process.rules;

import org.jspecify.annotations.NullMarked;
