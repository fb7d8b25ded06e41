@NullMarked
package dev.capsem.network;

import org.jspecify.annotations.NullMarked;
