@NullMarked
package dev.capsem.service.watch;

import org.jspecify.annotations.NullMarked;
