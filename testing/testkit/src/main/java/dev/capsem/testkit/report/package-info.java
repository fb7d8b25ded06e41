/// The summary of a test run: how many ran, which took longest, and which were skipped without leave.
@NullMarked
package dev.capsem.testkit.report;

import org.jspecify.annotations.NullMarked;
