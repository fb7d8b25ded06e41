/// Tests of the dashboard's guard.
@NullMarked
package dev.capsem.dashboard;

import org.jspecify.annotations.NullMarked;
