/// Who a tool belongs to, by its name. Entry type: `ToolName`.
@NullMarked
package dev.capsem.llm.tool;

import org.jspecify.annotations.NullMarked;
