/// Why the service cannot do what it was asked. Entry type: [dev.capsem.service.problem.ServiceProblem]. Knows nothing
/// of HTTP: each API has a table of its own.
@NullMarked
package dev.capsem.service.problem;

import org.jspecify.annotations.NullMarked;
