/// Tests of the package of the same name.
@NullMarked
package dev.capsem.service.v1.gateway;

import org.jspecify.annotations.NullMarked;
