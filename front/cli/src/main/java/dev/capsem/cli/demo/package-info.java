/// `capsem demo`: a tour that checks each of its own claims. Entry type: `DemoCommand`.
@NullMarked
package dev.capsem.cli.demo;

import org.jspecify.annotations.NullMarked;
