/// Tests of what commands about profiles get from elsewhere.
@NullMarked
package dev.capsem.cli.profile.io;

import org.jspecify.annotations.NullMarked;
