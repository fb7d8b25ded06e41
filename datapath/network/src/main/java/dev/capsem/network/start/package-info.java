/// The first bytes of a guest's connection: who says it is speaking, where it wanted to go, and what it speaks. Pure.
/// Entry type: `ConnectionStart`.
@NullMarked
package dev.capsem.network.start;

import org.jspecify.annotations.NullMarked;
