/// Answers about rules: which are in force and whose they are, what a text of rules is worth, why something was
/// decided, and what rules would have made of the past. Entry type: [dev.capsem.service.rules.RuleQuestions].
/// Decides nothing.
@NullMarked
package dev.capsem.service.rules;

import org.jspecify.annotations.NullMarked;
