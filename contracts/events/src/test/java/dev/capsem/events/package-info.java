/// Tests of the facts themselves: ids, names, and the JSON form.
@NullMarked
package dev.capsem.events;

import org.jspecify.annotations.NullMarked;
