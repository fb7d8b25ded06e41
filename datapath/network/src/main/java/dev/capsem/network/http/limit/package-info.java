/// How much and how long: `Limits` (fixed), `Timeouts` and `BodyRoom` (settings of a sandbox).
@NullMarked
package dev.capsem.network.http.limit;

import org.jspecify.annotations.NullMarked;
