/// The network engine under load, beside no proxy and beside proxies that others wrote. Everything runs on loopback:
/// the origin, the proxies (each a process of its own) and the client share the machine, so only ratios mean anything.
/// Entry type: `NetBench`.
@NullMarked
package dev.capsem.bench.net;

import org.jspecify.annotations.NullMarked;
