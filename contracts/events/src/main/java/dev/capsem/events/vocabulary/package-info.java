/// The words of an event: ids and the closed sets of names that the database and the JSON form use. A constant's
/// `wireName()` is the exact text stored; renaming one is a change of format. Depends on nothing.
@NullMarked
package dev.capsem.events.vocabulary;

import org.jspecify.annotations.NullMarked;
