/// Every kind of server that tests speak to, started together. Entry type: `Upstreams`.
@NullMarked
package dev.capsem.testkit.upstreams;

import org.jspecify.annotations.NullMarked;
