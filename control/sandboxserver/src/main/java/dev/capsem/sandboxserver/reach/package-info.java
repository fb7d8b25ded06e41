/// The reach of a token: the profiles and sandboxes that it is for. Entry: [dev.capsem.sandboxserver.reach.Reach]. The
/// owner of the Unix socket, tokens of the scope `admin` and a gateway without tokens reach everything.
@NullMarked
package dev.capsem.sandboxserver.reach;

import org.jspecify.annotations.NullMarked;
