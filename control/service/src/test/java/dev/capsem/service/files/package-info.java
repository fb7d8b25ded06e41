/// Tests of `dev.capsem.service.files`.
@NullMarked
package dev.capsem.service.files;

import org.jspecify.annotations.NullMarked;
