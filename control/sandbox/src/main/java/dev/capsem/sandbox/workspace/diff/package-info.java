/// Text and bytes compared: `UnifiedDiff`, `BinaryPatch`, `TextMerge`. Knows nothing of files.
@NullMarked
package dev.capsem.sandbox.workspace.diff;

import org.jspecify.annotations.NullMarked;
