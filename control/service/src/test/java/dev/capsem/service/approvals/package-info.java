/// Tests of this package.
@NullMarked
package dev.capsem.service.approvals;

import org.jspecify.annotations.NullMarked;
