@NullMarked
package dev.capsem.http;

import org.jspecify.annotations.NullMarked;
