/// Text → [dev.capsem.security.condition.Condition]. Entry type: `ConditionCompiler`.
@NullMarked
package dev.capsem.security.condition.compile;

import org.jspecify.annotations.NullMarked;
