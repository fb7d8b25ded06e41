/// Compiles rules without putting them in force. Entry type: [dev.capsem.service.rulecheck.RuleChecker].
@NullMarked
package dev.capsem.service.rulecheck;

import org.jspecify.annotations.NullMarked;
