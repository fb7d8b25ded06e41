/// What clients see of sandboxes: summaries, and what happens as it happens. Entry types:
/// [dev.capsem.service.views.SandboxViews] and [dev.capsem.service.views.SandboxEvents].
@NullMarked
package dev.capsem.service.views;

import org.jspecify.annotations.NullMarked;
