/// How much room a filesystem has left. Entry type: `FilesystemRoom`. Depends on nothing of this module.
@NullMarked
package dev.capsem.sandbox.room;

import org.jspecify.annotations.NullMarked;
