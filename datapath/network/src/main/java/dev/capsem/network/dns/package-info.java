/// Port 5007: every question of the guest is judged before anything leaves, then answered from the cache, from the
/// host's resolvers, or with an address of our own that stands for a name. Entry type: `DnsEngine`. Messages are
/// always taken apart and built anew: no byte of an upstream's answer reaches the guest unread. Sockets are in `io`.
@NullMarked
package dev.capsem.network.dns;

import org.jspecify.annotations.NullMarked;
