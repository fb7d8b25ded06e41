/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.service;

import org.jspecify.annotations.NullMarked;
