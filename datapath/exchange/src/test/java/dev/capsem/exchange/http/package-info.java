@NullMarked
package dev.capsem.exchange.http;

import org.jspecify.annotations.NullMarked;
