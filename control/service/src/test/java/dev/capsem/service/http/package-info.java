/// Tests of `dev.capsem.service.http`.
@NullMarked
package dev.capsem.service.http;

import org.jspecify.annotations.NullMarked;
