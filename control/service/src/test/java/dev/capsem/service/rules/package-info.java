/// Tests of rules on recorded events.
@NullMarked
package dev.capsem.service.rules;

import org.jspecify.annotations.NullMarked;
