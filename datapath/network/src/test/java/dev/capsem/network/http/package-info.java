@NullMarked
package dev.capsem.network.http;

import org.jspecify.annotations.NullMarked;
