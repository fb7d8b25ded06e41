/// The questions to the Security Engine and its answers. Entry types: `SecurityEvent` (the question), `Evaluation`
/// (the answer) and the port `SecurityGate` between them. `SecurityEventJson` is the stable JSON form, described in
/// `docs/reference/security-events.md`. Values are the real ones: whoever stores an event redacts it first. Pure
/// data: knows nothing of rules, proxies or databases.
@NullMarked
package dev.capsem.events.security;

import org.jspecify.annotations.NullMarked;
