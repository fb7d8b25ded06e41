/// The cost of a call, by a table that is embedded when the program is built (`config/genai-prices.json`). What the
/// table does not know has no price, which is not the same as being free. Entry type: `PriceTable`.
@NullMarked
package dev.capsem.llm.price;

import org.jspecify.annotations.NullMarked;
