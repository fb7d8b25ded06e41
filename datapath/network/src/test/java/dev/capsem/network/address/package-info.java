/// Tests of what is remembered about names and addresses.
@NullMarked
package dev.capsem.network.address;

import org.jspecify.annotations.NullMarked;
