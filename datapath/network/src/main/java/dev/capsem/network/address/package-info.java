/// Names and addresses: which address the sandbox was given for which name, and what the host itself resolves a name
/// to. The first keeps connections honest, the second is the only thing that decides where bytes go. Entry types:
/// `NameLedger`, `HostResolver`.
@NullMarked
package dev.capsem.network.address;

import org.jspecify.annotations.NullMarked;
