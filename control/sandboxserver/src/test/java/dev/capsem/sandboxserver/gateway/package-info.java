@NullMarked
package dev.capsem.sandboxserver.gateway;

import org.jspecify.annotations.NullMarked;
