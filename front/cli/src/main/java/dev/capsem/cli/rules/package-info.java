/// Commands about rules. Rules are read, compiled and asked by the service alone; here answers become words: findings
/// with their source line, explanations with the rule that would allow something.
@NullMarked
package dev.capsem.cli.rules;

import org.jspecify.annotations.NullMarked;
