/// The shape of the code: arrows between modules, walls around dangerous types, sizes, comments and links.
@NullMarked
package dev.capsem.architecture;

import org.jspecify.annotations.NullMarked;
