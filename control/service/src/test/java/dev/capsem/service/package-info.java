/// Tests of `dev.capsem.service`.
@NullMarked
package dev.capsem.service;

import org.jspecify.annotations.NullMarked;
