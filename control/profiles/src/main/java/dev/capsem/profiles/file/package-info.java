/// One profile file: TOML in, typed entries out, with every problem at its line and column. Entry types:
/// `ProfileReader` and `Profile`. Rules stay text, cut out by lines: the Security Engine compiles them, and names
/// the same lines. Does not know other files.
@NullMarked
package dev.capsem.profiles.file;

import org.jspecify.annotations.NullMarked;
