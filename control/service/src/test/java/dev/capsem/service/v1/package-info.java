/// Tests of the sandbox-server API without sockets.
@NullMarked
package dev.capsem.service.v1;

import org.jspecify.annotations.NullMarked;
