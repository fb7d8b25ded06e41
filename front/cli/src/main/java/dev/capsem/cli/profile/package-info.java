/// Commands about profiles. The service reads and merges profiles; only signing happens
/// here, because a company's secret key must not leave the machine of the person who signs.
@NullMarked
package dev.capsem.cli.profile;

import org.jspecify.annotations.NullMarked;
