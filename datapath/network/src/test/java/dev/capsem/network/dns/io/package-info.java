/// Tests of the host's files that the DNS engine reads.
@NullMarked
package dev.capsem.network.dns.io;

import org.jspecify.annotations.NullMarked;
