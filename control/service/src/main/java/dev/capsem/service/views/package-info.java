/// Clients' views of sandboxes: summaries and live events. Entry types:
/// [dev.capsem.service.views.SandboxViews] and [dev.capsem.service.views.SandboxEvents].
@NullMarked
package dev.capsem.service.views;

import org.jspecify.annotations.NullMarked;
