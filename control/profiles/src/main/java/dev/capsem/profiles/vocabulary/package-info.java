/// The words of profiles: what they are called (`ProfileId`), their parts (`Section`), and whom an entry belongs to
/// (`Provenance`). Pure data; depends on nothing but `events` and `source`.
@NullMarked
package dev.capsem.profiles.vocabulary;

import org.jspecify.annotations.NullMarked;
