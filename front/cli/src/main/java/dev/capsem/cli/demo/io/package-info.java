/// The outside world of the demo, on loopback and in this process: a name server, a web site, a model API. Entry type:
/// [dev.capsem.cli.demo.io.DemoWorld]. Knows nothing of sandboxes.
@NullMarked
package dev.capsem.cli.demo.io;

import org.jspecify.annotations.NullMarked;
