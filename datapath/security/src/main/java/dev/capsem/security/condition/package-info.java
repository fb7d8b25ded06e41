/// CEL conditions as predicates over events. Entry types: `compile.ConditionCompiler` (text in, `Condition` or
/// problems out) and `Condition`. dev.cel parses and type-checks; the checked tree is then lowered to our own
/// nodes, because CEL's runtime cannot say "this value is missing" the way rules need it (see [Truth]) nor
/// stop at a budget. A test compares every operator with CEL's own runtime where values are present.
@NullMarked
package dev.capsem.security.condition;

import org.jspecify.annotations.NullMarked;
