/// Commands about credentials: the store, and the grants that send them from outside a sandbox. Values come from a
/// prompt or from stdin and are never shown.
@NullMarked
package dev.capsem.cli.secret;

import org.jspecify.annotations.NullMarked;
