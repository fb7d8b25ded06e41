/// The page that shows a person what sandboxes do and ask. Entry type: [dev.capsem.dashboard.Dashboard].
@NullMarked
package dev.capsem.dashboard;

import org.jspecify.annotations.NullMarked;
