@NullMarked
package dev.capsem.api;

import org.jspecify.annotations.NullMarked;
