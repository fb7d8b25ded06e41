/// A name server whose answers tests write, over UDP and TCP. Entry type: `DnsOrigin`.
@NullMarked
package dev.capsem.testkit.dns;

import org.jspecify.annotations.NullMarked;
