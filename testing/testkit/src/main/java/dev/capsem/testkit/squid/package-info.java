/// Real squid as a company's proxy. Entry type: `SquidProxy`.
@NullMarked
package dev.capsem.testkit.squid;

import org.jspecify.annotations.NullMarked;
