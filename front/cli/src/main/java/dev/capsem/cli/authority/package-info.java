/// The certificate authority that sandboxes trust: which one it is, and how to have one of one's own. Of the network
/// engine only its `tls` package is used here, see ADR 18. Entry types: the commands.
@NullMarked
package dev.capsem.cli.authority;

import org.jspecify.annotations.NullMarked;
