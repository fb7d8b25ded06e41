@NullMarked
package dev.capsem.sandboxserver.workspaces;

import org.jspecify.annotations.NullMarked;
