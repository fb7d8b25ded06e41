/// The network part of a policy as the configuration of a program that guards egress: nftables, squid, Envoy or
/// mitmproxy. Read [dev.capsem.policy.egress.EgressTarget] first; the emitters only write what it collected.
@NullMarked
package dev.capsem.policy.egress;

import org.jspecify.annotations.NullMarked;
