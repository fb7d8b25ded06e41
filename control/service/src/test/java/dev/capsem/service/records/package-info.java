/// Tests of what was recorded.
@NullMarked
package dev.capsem.service.records;

import org.jspecify.annotations.NullMarked;
