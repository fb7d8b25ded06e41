/// `capsem bench`: the budgets, measured in one run beside the peers that can be had. Entry type: `BenchMain`. Prints
/// percentiles and ratios, writes JSON; never part of the gate, because machines are noisy.
@NullMarked
package dev.capsem.bench;

import org.jspecify.annotations.NullMarked;
