@NullMarked
package dev.capsem.network.tls;

import org.jspecify.annotations.NullMarked;
