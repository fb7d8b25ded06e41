/// `capsem`, the command line. Entry type: `CapsemMain`, which wires; then `Capsem`, which finds the one command that
/// was asked for: no other command's class is loaded. What a person sees is made in `screen`, the service is reached
/// through `client`; commands live by topic in `sandboxes`, `project`, `rules`, `profile`, `approvals`, `connectors`,
/// `record`, `host` and `demo`. Sees `wire`, and of `profiles` what signing needs: everything else is the service's.
@NullMarked
package dev.capsem.cli;

import org.jspecify.annotations.NullMarked;
