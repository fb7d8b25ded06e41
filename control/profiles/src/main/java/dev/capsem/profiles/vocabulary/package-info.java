/// The words of profiles: who speaks (`Layer`), where something stands (`Place`), whom an entry belongs to
/// (`Provenance`), and what a person should change (`Problem`). Pure data; depends on nothing but `events`.
@NullMarked
package dev.capsem.profiles.vocabulary;

import org.jspecify.annotations.NullMarked;
