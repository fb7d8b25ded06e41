/// A guest's DNS questions. Entry type: [DnsExchange]; its shell is `network.dns.DnsEngine`. Sees `events` only.
@NullMarked
package dev.capsem.exchange.dns;

import org.jspecify.annotations.NullMarked;
