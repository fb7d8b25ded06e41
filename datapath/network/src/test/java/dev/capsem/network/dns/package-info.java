/// Tests of the DNS engine, against resolvers of their own on the loopback.
@NullMarked
package dev.capsem.network.dns;

import org.jspecify.annotations.NullMarked;
