/// The program `capgate`: the policy compiler on the command line.
///
/// Read [dev.capsem.cli.capgate.CapgateMain] first. Arguments are parsed by hand, because the program is run once per
/// manifest in review pipelines and must start within 150 ms. Standard output carries the artifact or report only.
@NullMarked
package dev.capsem.cli.capgate;

import org.jspecify.annotations.NullMarked;
