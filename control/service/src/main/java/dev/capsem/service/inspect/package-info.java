/// SQL of callers on the databases of sandboxes: which file, on which thread, how many at once. What a query may do is
/// telemetry's business. Entry type: [dev.capsem.service.inspect.Inspections].
@NullMarked
package dev.capsem.service.inspect;

import org.jspecify.annotations.NullMarked;
