/// How fast the model tap reads along.
///
/// Run [dev.capsem.bench.llm.TapBench]. The budget is 500 MiB a second of one core, server-sent events in, events
/// summed up.
@NullMarked
package dev.capsem.bench.llm;

import org.jspecify.annotations.NullMarked;
