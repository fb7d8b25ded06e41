/// Tests of the package of the same name.
@NullMarked
package dev.capsem.service.v1.routes;

import org.jspecify.annotations.NullMarked;
