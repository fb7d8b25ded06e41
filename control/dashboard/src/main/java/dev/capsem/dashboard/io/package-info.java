/// The dashboard's port. Entry type: [dev.capsem.dashboard.io.DashboardServer].
@NullMarked
package dev.capsem.dashboard.io;

import org.jspecify.annotations.NullMarked;
