/// Commands about this installation: status, service, version, completions, bench.
@NullMarked
package dev.capsem.cli.host;

import org.jspecify.annotations.NullMarked;
