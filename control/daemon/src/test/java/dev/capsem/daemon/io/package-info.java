@NullMarked
package dev.capsem.daemon.io;

import org.jspecify.annotations.NullMarked;
