/// Tests of the commands about tokens and the gateway.
@NullMarked
package dev.capsem.cli.token;

import org.jspecify.annotations.NullMarked;
