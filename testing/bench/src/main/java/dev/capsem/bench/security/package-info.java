/// Measures the Security Engine: nanoseconds and bytes per event at 1 to 10 000 rules, with and without what the
/// index can use, cold start, and reloads under traffic. Run `RulesBench`; it prints a table and asserts nothing.
@NullMarked
package dev.capsem.bench.security;

import org.jspecify.annotations.NullMarked;
