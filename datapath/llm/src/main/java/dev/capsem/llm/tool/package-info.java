/// The owner of a tool, by its name. Entry type: `ToolName`.
@NullMarked
package dev.capsem.llm.tool;

import org.jspecify.annotations.NullMarked;
